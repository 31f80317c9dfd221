"""From files and history to the accepted state: runs the fold, caches it, collects violations."""

"""The running vault: watch → settle → judge → accept → catch up, and the socket on which it is asked."""

"""Every rule in one list: what it says, how severe it is, what mends it. `docs/reference/rules.md` is made from it."""

from typing import Literal

from vaultd.values import dataclass

Weight = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule as a reader needs it."""

    code: str
    severity: Weight
    says: str
    mend: str
    locked: bool = False
    """No config changes its severity."""


RULES: tuple[Rule, ...] = (
    Rule("V100", "error", "An id stands in one file. The path that had it keeps it; copies count as files without an id.",
         "Delete the copy, or remove the id from it.", locked=True),
    Rule("V101", "error", "At most one active memory per project and name, compared in NFC and without case.",
         "Rename one of the two, or supersede one by the other.", locked=True),
    Rule("V102", "error", "`invalid_at` is stamped once. By edit it only goes from null to a time, or a shorter text of the same "
         "time is completed. Removing the key is clearing it.",
         "`vaultd memory restore` brings a memory back; `vaultd revert` puts the stamp back.", locked=True),
    Rule("V103", "error", "A successor is exactly one other memory that exists, was active at the parent or is new in the same "
         "change, and closes no circle. The edge never changes afterwards. A warning where an accepted successor was deleted since.",
         "Write the id of the memory that replaced it, or `vaultd revert`.", locked=True),
    Rule("V104", "error", "`superseded_by` needs `invalid_at`, and is set once: with it or later.",
         "`vaultd adopt` completes the stamp; `vaultd revert` removes it.", locked=True),
    Rule("V105", "warning", "`kind` is one of the nine, `description` is one line of at most 150 characters, the required keys "
         "are there, `name` and `project` say what the path says, and no two ids differ in case alone. As info: files without an id below the memory folder.",
         "Mend the field; `vaultd adopt` adds missing keys."),
    Rule("V106", "warning", "Times are RFC 3339 with a zone, `created` ≤ `updated`, `valid_from` ≤ `invalid_at`. An error where "
         "`invalid_at` is not a time or lies more than 5 minutes ahead.",
         "Write it as `2026-11-30T18:00:00Z`."),
    Rule("V107", "error", "The id at a path does not change while the old id is nowhere else. A swap or a rename is no such change.",
         "Write the old id again, or give the new memory a file of its own."),
    Rule("V108", "warning", "The last line of an ended memory is its tombstone line, agreeing by id and kind of end; an active "
         "memory has none.",
         "`vaultd adopt` writes it."),
    Rule("V109", "error", "HEAD holds no lifecycle change that was not accepted; the message names the commit.",
         "`vaultd revert` puts the accepted values back and commits them.", locked=True),
    Rule("V110", "warning", "`created` and `valid_from` do not change.", "Write the old value again."),
    Rule("V111", "error", "A superseded or archived memory, or one that replaced another, leaves the memory folder only by "
         "`vaultd memory delete`.",
         "`vaultd revert` brings it back.", locked=True),
    Rule("V112", "info", "A memory that git ignores or that the sparse checkout leaves out is not recorded and not judged.",
         "Take it out of `.gitignore`, or leave it."),
    Rule("V201", "error", "Frontmatter that is opened is closed: a line of exactly `---`.", "Add the closing line."),
    Rule("V202", "info", "Frontmatter begins on the first line.", "Move the block to the top of the file."),
    Rule("V203", "error", "Both ways in which Obsidian looks for the fences find the same block. Readable, but not writable.",
         "Make both fences exactly `---`."),
    Rule("V204", "error", "One frontmatter block, not two in a row.", "Join the two blocks by hand."),
    Rule("V205", "error", "Frontmatter is valid YAML 1.2.", "Mend the line that is named."),
    Rule("V206", "error", "A key stands once.", "Remove one of the two lines."),
    Rule("V207", "error", "Frontmatter is a mapping of keys to values.", "Write `key: value` lines."),
    Rule("V208", "error", "No tab indents YAML.", "Use spaces."),
    Rule("V209", "error", "A note is UTF-8.", "Save it as UTF-8; until then vaultd does not write it."),
    Rule("V210", "error", "No conflict markers stand in a note.", "Resolve the merge.", locked=True),
    Rule("V211", "warning", "An id that YAML reads as a number is quoted.", "Put it in double quotes."),
    Rule("V212", "warning", "Whole numbers stay within what Obsidian keeps exactly.", "Put it in quotes."),
    Rule("V213", "error", "Lifecycle keys are spelled in lower case: another spelling is not a stamp.", "Spell it in lower case."),
    Rule("V214", "warning", "A wikilink in frontmatter is quoted.", 'Write `"[[Note]]"`.'),
    Rule("V215", "info", "A value is not a comment: `tags: #x` is empty.", "Quote the value, or drop the `#`."),
    Rule("V216", "error", "A plain space follows the colon, not a no-break space.", "Type the space again."),
    Rule("V220", "error", "No two paths are one path where case or Unicode form does not count.", "Rename one of them."),
    Rule("V221", "warning", "A name can be checked out and synced everywhere.", "Use the name that the message proposes."),
    Rule("V222", "warning", "No conflict copies of a sync tool lie around.", "Compare the two, keep one."),
    Rule("V223", "warning", "No link leads out of the vault, or in a circle.", "Move the file into the vault."),
    Rule("V224", "warning", "A note can be read.", "Check its permissions."),
    Rule("V225", "info", "A note is not larger than `check.large_bytes`: a larger one slows every look at it.", "Split it."),
    Rule("V226", "warning", "A memory's file is not empty while HEAD holds its text.", "`git restore` it, or commit the change."),
    Rule("V227", "warning", "A name that ends in `.md` is a regular file.", "Rename or remove it."),
    Rule("V301", "info", "A link names a note or file that is there. Links with `{{` or `<%` in them are templates.",
         "Write the note, or mend the link; `vaultd unresolved` lists what is missing."),
    Rule("V302", "info", "A link names one file: where several are called so, it is the whole path that says which.",
         "Write the path that the message proposes."),
    Rule("V303", "info", "The heading or block that a link names stands in the note it leads to.",
         "`vaultd outline` shows the headings of a note."),
    Rule("V304", "info", "A link leads to what holds now, not to a memory that was replaced. Its successors, and memories that "
         "ended themselves, may name it.",
         "Link to the successor that the message names."),
    Rule("V401", "error", "A record's id is its own.", "Delete the copy."),
    Rule("V402", "error", "What a record said first it says always: its envelope, text and content never change, and its file or line stays. "
         "Stamps, `sources`, `tags`, `aliases`, `cssclasses`, `publish` and, in a closed collection, undeclared keys are free.",
         "`vaultd adopt` makes the edit of a slot's answer its successor; `vaultd revert` takes any edit back.", locked=True),
    Rule("V403", "error", "What lies among records can be read as one.", "[Records](records.md) says which keys there are."),
    Rule("V404", "error", "`superseded_by` names a record that supersedes this one. A missing stamp, and an `invalid_at` "
         "that is not when the successor was written, is a warning: the successor decides.",
         "`git restore` the stamps, or write the one that the message names."),
    Rule("V405", "error", "A record's content is what the schema of its collection allows; a retraction has none.",
         "Set the slot to what fits, or publish a new version of the collection."),
    Rule("V406", "error", "A record supersedes other records of its own slot and lane, none that is not there, and not, over others, itself.",
         "`vaultd revert` brings back what left."),
    Rule("V407", "error", "What a record rests on is there, is older, and does not rest on it.", "`vaultd why` shows what it rests on."),
    Rule("V408", "error", "At most four conclusions lie between a record and what was observed.", "Cite what was observed."),
    Rule("V409", "error", "A retraction names the head that it takes back, and says nothing else.",
         "`vaultd record retract` writes one."),
    Rule("V410", "warning", "One record answers a slot. Where two clones wrote, the later one answers on both.",
         "`vaultd record set` supersedes all heads."),
    Rule("V411", "error", "A draft answers nothing: drafts lie in the review folder, active records do not; a stale draft is not approved, "
         "and an approval is a record that cites the draft.",
         "`vaultd review approve` makes a draft count."),
    Rule("V412", "warning", "At a slot's path lies what answers it, and nothing else; under another name it is no slot's.", "Move the file where the others of its kind lie."),
    Rule("V413", "warning", "What is written once under a dedupe key is there once.", "`vaultd record correct`, or retract one of them."),
    Rule("V414", "error", "A correction names another event of the same entity.", "`vaultd record correct` writes one."),
    Rule("V415", "error", "The collection of a record is in force, where a catalog was published.", "Declare it and `vaultd catalog publish`."),
    Rule("V501", "error", "The catalog can be read, and its lock is what was published. What is not supported yet is a warning.",
         "`vaultd catalog check` lists what is wrong."),
    Rule("V502", "error", "A publish gives no stored record another meaning. `catalog publish` refuses it.",
         "Publish a new version beside the old one."),
)  # fmt: skip


def rules_page() -> str:
    """Return the reference page of all rules, as Markdown."""
    lines = [
        "# Rules",
        "",
        "Made from `vaultd/lifecycle/rule_book.py` by `make docs`; edit it there.",
        "",
        "`vaultd check` prints `path:line:column: severity CODE message` and what mends it. Exit 1 for errors only;",
        "`--strict` also for warnings. V2xx rules that are errors in the managed folders (`memory`, `notes`, `records`,",
        "`review`) are warnings elsewhere. `[severity]` in `.vaultd/config.toml` changes a rule for the vault or for a folder,",
        "except the rules marked *fixed*: acceptance or the file itself hangs on them.",
        "",
    ]
    for rule in RULES:
        fixed = ", fixed" if rule.locked else ""
        lines += [f"## {rule.code} ({rule.severity}{fixed})", "", rule.says, "", f"*Mend:* {rule.mend}", ""]
    return "\n".join(lines).rstrip("\n") + "\n"

"""A vault to measure with: the same folder for the same number of notes and seed, on any machine."""

import argparse
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

PROJECTS = ("photo-archive", "radio", "atlas", "ledger", "garden", "")
KINDS = ("constraint", "runbook", "protocol", "gotcha", "decision", "refuted", "reference", "stage")
FOLDERS = ("daily", "people", "reading", "projects/alpha", "projects/beta", "inbox")
ACCENTED = ("café", "naïve", "über", "señal", "façade", "Ångström", "résumé", "jalapeño")
CJK = ("日本語のメモ", "検索の仕組み", "东京的笔记", "記憶の寿命", "한국어 메모", "版本控制")
SYLLABLES = ("ba", "ko", "ri", "ten", "mu", "lo", "sha", "vel", "dor", "pi", "quen", "sta", "fer", "nal", "io", "ger")
_BIRTH = datetime(2026, 1, 5, 8, 0, tzinfo=UTC)
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MEMORIES = 0.4
_WORK_NOTES = 0.1
_SUPERSEDED = 0.2


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory to write; `successor` is an index into the list of memories, -1 for none."""

    id: str
    name: str
    project: str
    kind: str
    created: datetime
    successor: int
    archived: bool

    @property
    def path(self) -> str:
        return f"memory/{self.project or '_global'}/{self.name}.md"


def generate(folder: Path, notes: int, seed: int = 1) -> None:
    """Write a vault of so many notes into the folder, memories, work notes and plain ones, about 3.3 KB each."""
    source = random.Random(seed)
    vocabulary = _vocabulary(source)
    memories = _memories(source, int(notes * _MEMORIES))
    work = [f"note-{number:05d}" for number in range(int(notes * _WORK_NOTES))]
    plain = [f"{source.choice(FOLDERS)}/Note {number:05d}" for number in range(notes - len(memories) - len(work))]
    targets = [memory.name for memory in memories] + work + [name.rpartition("/")[2] for name in plain]
    files: dict[str, str] = {}
    for number, memory in enumerate(memories):
        body = _body(source, vocabulary, targets, f"unique{seed}m{number:06d}")
        files[memory.path] = _memory_text(source, memories, memory, body)
    for number, slug in enumerate(work):
        project = source.choice(PROJECTS)
        body = _body(source, vocabulary, targets, f"unique{seed}w{number:06d}")
        files[f"notes/{project or '_global'}/{slug}.md"] = _work_text(source, slug, project, body)
    for number, name in enumerate(plain):
        body = _body(source, vocabulary, targets, f"unique{seed}p{number:06d}")
        files[f"{name}.md"] = _plain_text(source, body)
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")


def _vocabulary(source: random.Random) -> list[str]:
    words = {"".join(source.choices(SYLLABLES, k=source.randint(1, 4))) for _ in range(12_000)}
    ordered = sorted(words)
    source.shuffle(ordered)
    return ordered


def _ulid(source: random.Random, moment: datetime) -> str:
    number = (int(moment.timestamp() * 1000) << 80) | source.getrandbits(80)
    return "".join(_CROCKFORD[(number >> shift) & 31] for shift in range(125, -1, -5))


def _memories(source: random.Random, count: int) -> list[Memory]:
    """Return memories in chains: a superseded one names the next of the list as its successor."""
    memories: list[Memory] = []
    apart = timedelta(minutes=min(20.0, 200_000 / max(count, 1)))  # so that none of very many lies in the future
    for number in range(count):
        # A chain stays in one project; its members follow each other in the list.
        follows = bool(memories) and memories[-1].successor == number
        project = memories[-1].project if follows else source.choice(PROJECTS)
        fate = source.random()
        created = _BIRTH + number * apart
        successor = number + 1 if fate < _SUPERSEDED and number + 1 < count else -1
        archived = successor < 0 and fate > 1 - _SUPERSEDED / 4
        name = f"{source.choice(SYLLABLES)}-{source.choice(SYLLABLES)}-{number:05d}"
        kind = source.choice(KINDS)
        memories.append(Memory(_ulid(source, created), name, project, kind, created, successor, archived))
    return memories


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _memory_text(source: random.Random, memories: list[Memory], memory: Memory, body: str) -> str:
    left = memory.successor >= 0 or memory.archived
    end = memories[memory.successor].created if memory.successor >= 0 else memory.created + timedelta(days=3)
    lines = ["---", f"id: {memory.id}", f"kind: {memory.kind}", f"name: {memory.name}"]
    lines += [f"description: What holds for {memory.name} and why it matters"]
    lines += [f"project: {memory.project}"] if memory.project else []
    lines += [f"created: {_stamp(memory.created)}", f"updated: {_stamp(end if left else memory.created)}"]
    lines += [f"valid_from: {_stamp(memory.created)}", f"invalid_at: {_stamp(end) if left else 'null'}"]
    lines += [f"superseded_by: {memories[memory.successor].id if memory.successor >= 0 else 'null'}"]
    lines += [f"tags: [{source.choice(SYLLABLES)}, {source.choice(SYLLABLES)}]"] if source.random() < 0.5 else []
    lines += ["# kept by hand", f"confidence: 0.{source.randint(1, 9)}", "---", "", body]
    if memory.successor >= 0:
        heir = memories[memory.successor]
        lines += ["", f"> Superseded by {heir.project or '_global'}/{heir.name} ({heir.id}) on {end:%Y-%m-%d}"]
    elif memory.archived:
        lines += ["", f"> Archived on {end:%Y-%m-%d}"]
    return "\n".join(lines) + "\n"


def _work_text(source: random.Random, slug: str, project: str, body: str) -> str:
    moment = _BIRTH + timedelta(minutes=source.randint(0, 300_000))
    lines = ["---", f"id: {_ulid(source, moment)}", f"title: Findings {slug}", f"slug: {slug}"]
    lines += [f"project: {project}"] if project else []
    lines += [f"created: {_stamp(moment)}", f"updated: {_stamp(moment)}"]
    lines += ["# reviewed once", "reviewed-by: Ida", "---", "", body]
    return "\n".join(lines) + "\n"


def _plain_text(source: random.Random, body: str) -> str:
    if source.random() < 0.2:
        return body + "\n"
    lines = ["---", f"aliases: [{source.choice(SYLLABLES)} {source.choice(SYLLABLES)}]", "tags:"]
    lines += [f"  - {source.choice(SYLLABLES)}/{source.choice(SYLLABLES)}", "# the next key belongs to a plugin"]
    lines += ["cssclasses: wide  # set by hand", f"rating: {source.randint(1, 5)}", f'source: "{source.choice(CJK)}"']
    return "\n".join([*lines, "---", "", body]) + "\n"


def _body(source: random.Random, vocabulary: list[str], targets: list[str], unique: str) -> str:
    parts = [f"# {_sentence(source, vocabulary, 4)}", _paragraph(source, vocabulary) + f" {unique}"]
    for _ in range(3):
        links = " and ".join(f"[[{source.choice(targets)}]]" for _ in range(2))
        parts += [f"## {_sentence(source, vocabulary, 3)}", _paragraph(source, vocabulary), f"See {links}."]
        parts += [f"- [ ] {_sentence(source, vocabulary, 5)}\n- [x] {_sentence(source, vocabulary, 5)}"]
    parts += [f"Also [[{source.choice(targets)}|this one]] #{source.choice(SYLLABLES)}/{source.choice(SYLLABLES)}"]
    if source.random() < 0.3:
        parts.append(f"{source.choice(ACCENTED)} {source.choice(CJK)} {source.choice(ACCENTED)}")
    return "\n\n".join(parts)


def _sentence(source: random.Random, vocabulary: list[str], words: int) -> str:
    # A steep curve, as in any language: few words make most of the text.
    return " ".join(vocabulary[int(len(vocabulary) * source.random() ** 3)] for _ in range(words)).capitalize()


def _paragraph(source: random.Random, vocabulary: list[str]) -> str:
    return " ".join(f"{_sentence(source, vocabulary, source.randint(6, 14))}." for _ in range(6))


def main() -> None:
    """Write a vault from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    generate(asked.folder, asked.notes, asked.seed)


if __name__ == "__main__":
    main()

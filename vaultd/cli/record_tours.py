"""The demos about records: one slot through five writes, and a support desk that remembers its customers."""

from vaultd.cli.steps import Step, Typed, Written

NEEDS = "records/customer_profiles/acme-corp/needs.md"
_SLOT = ("customer_profiles", "--entity", "acme-corp", "--key", "needs")
FIVE_WRITES: tuple[Step, ...] = (
    Typed(
        "1. A first answer to the question what acme-corp needs.",
        NEEDS,
        ("record", "set", *_SLOT, "--body", "Evaluating SSO options"),
    ),
    Typed(
        "2. The next one replaces it; the first is history now, in a file of its own.",
        NEEDS,
        ("record", "set", *_SLOT, "--body", "Committed to SSO rollout in Q4"),
    ),
    Typed(
        "3. A draft proposes and does not replace.",
        NEEDS,
        ("record", "set", *_SLOT, "--body", "Also exploring SCIM", "--draft"),
    ),
    Typed("It waits in the folder for reviews.", NEEDS, ("review", "list")),
    Typed("4. An approval writes it as the newest answer; the draft stays.", NEEDS, ("review", "approve", "{draft}")),
    Typed("5. A retraction empties the slot and deletes nothing.", NEEDS, ("record", "retract", *_SLOT)),
    Typed(
        "The whole story of the slot, the latest first.", NEEDS, ("history", "customer_profiles", "acme-corp", "needs")
    ),
)

CATALOG = ".vaultd/catalog/support_desk.yaml"
BRIEF = "records/customer_profiles/acme-corp/risks.md"
_EVENT = ("record", "event", "customer_events", "--entity", "acme-corp")
_PROFILE = ("record", "set", "customer_profiles", "--entity", "acme-corp", "--key")
SUPPORT_DESK: tuple[Step, ...] = (
    Written(
        "Say what is to be remembered: what happens with customers, and what we know of each.",
        CATALOG,
        """\
search_profiles:
  - name: default
collections:
  - name: customer_events
    version: 1
    active: true
    mode: event
    search_profile: default
    schema:
      type: object
      required: [text, channel]
      properties:
        text: {type: string}
        channel: {type: string, enum: [email, call, note]}
  - name: customer_profiles
    version: 1
    active: true
    mode: keyed
    search_profile: default
    schema:
      type: object
      required: [text]
      properties:
        text: {type: string}
        level: {type: integer, minimum: 1, maximum: 5}
packages:
  - name: support_desk
    version: 1.0.0
    collections: [customer_events@1, customer_profiles@1]
    search_profiles: [default]
""",
    ),
    Typed("Put it in force.", CATALOG, ("catalog", "publish")),
    Typed(
        "A mail comes in.",
        BRIEF,
        (
            *_EVENT,
            "--type",
            "email",
            "--property",
            "channel=email",
            "--dedupe",
            "mail-1",
            "--body",
            "Asked about SSO pricing.",
        ),
    ),
    Typed(
        "It is delivered twice and remembered once.",
        BRIEF,
        (
            *_EVENT,
            "--type",
            "email",
            "--property",
            "channel=email",
            "--dedupe",
            "mail-1",
            "--body",
            "Asked about SSO pricing.",
        ),
    ),
    Typed(
        "A channel that nobody declared is refused.",
        BRIEF,
        (*_EVENT, "--property", "channel=fax", "--body", "Beep."),
        3,
    ),
    Typed(
        "A call, and what is concluded from it.",
        BRIEF,
        (*_EVENT, "--type", "call", "--property", "channel=call", "--body", "The CFO contests the renewal."),
    ),
    Typed(
        "The profile says what we know now.",
        BRIEF,
        (*_PROFILE, "risks", "--property", "level=3", "--body", "Contract renewal contested by the CFO"),
    ),
    Typed("And what they want.", NEEDS, (*_PROFILE, "needs", "--body", "Evaluating SSO options for Q4")),
    Typed("Brief me before I reply.", BRIEF, ("document", "acme-corp")),
    Typed("What happened, the latest first.", BRIEF, ("timeline", "acme-corp")),
    Typed("Nothing breaks a rule.", BRIEF, ("check", "records")),
)

"""Values read at run time against values that an author wrote: shape and the words around."""

from __future__ import annotations

import pytest
from text_sites import kind

from promptlint.model.finding import Scope

CLOCKS = [
    "It is now {14:05:12|14:07:45}.",
    "Current time: {2026-11-30T14:05:12Z|2026-11-30T14:05:13Z}",
    "Current date and time: {2026-05-12T09:41:07.318224+02:00|2026-05-12T09:41:55.002911+02:00}",
    "Time: {14:05|14:06}",
    "[{09:41|09:43}] user joined",
    "Now: {Tue, 12 May 2026 14:05:12 GMT|Tue, 12 May 2026 14:05:44 GMT}",
    "Now: {Tue May 12 14:05:12 2026|Tue May 12 14:06:10 2026}",
    "The current time is {2:05 PM|2:06 PM} on Tuesday.",
    "The current time is {9 am|10 am}.",
    "Generated at {5/12/2026, 2:05:12 PM|5/12/2026, 2:06:00 PM}.",
    "Stand: {12.05.2026, 14:05 Uhr|12.05.2026, 14:07 Uhr}",
    "Es ist jetzt {14.05 Uhr|14.07 Uhr}.",
    "Il est maintenant {14h05|14h07}.",
    "Klokken er nu kl {14.05|14.07} i dag",
    "现在是{2026年5月12日 14时05分|2026年5月12日 14时06分}。",
    "現在時刻: {14時05分12秒|14時06分10秒}",
    "지금 시간은 {오후 2시 5분|오후 2시 6분}",
    "timestamp={1764511512|1764511547}",
    "ts: {1764511512123|1764511547456}",
    "now_us={1764511512123456|1764511547456789}",
    "t={1764511512123456789|1764511547456789123}",
    "Epoch {1764511512.1234|1764511547.5678} is now",
    "الوقت الآن {١٤:٠٥:١٢|١٤:٠٦:١٠}",
    "समय अभी {१४:०५|१४:०६}",
    "session started 20261130T{140512|140613}Z",
    "stamp {20261130140512|20261130140613} here",
    "Current time: {2026-11-30 14:00|2026-11-30 15:00}",
    "Runtime: linux, node 22, {2026-02-17T12:44:03+02:00|2026-02-17T14:46:04+02:00}; never close it.",
    "<time>{2026-05-12 09:41|2026-05-12 09:43}</time>",
    "date_time: {12-May-2026 09:41|12-May-2026 09:44}",
    "local time is {9:41 a.m. CEST|9:44 a.m. CEST}",
    "- Last sync: {2026-05-12 09:41:07|2026-05-12 09:44:11} (ok)",
    "It is {Tuesday 14:05|Tuesday 14:06} here now",
    "Last sync {6:31 AM|6:34 AM}; all figures are as of then.",
    "Es ist {Montag, 3. August, 14:32 Uhr|Montag, 3. August, 14:36 Uhr} in Hamburg.",
]
DATES = [
    "Today is {2026-11-29|2026-11-30}.",
    "Today's date: {12 May 2026|13 May 2026}",
    "Date: {Sunday, November 29, 2026|Monday, November 30, 2026}",
    "Today is {Sun Nov 29 2026|Mon Nov 30 2026}.",
    "Heute ist der {12. Mai 2026|13. Mai 2026}.",
    "Nous sommes aujourd'hui le {12 mai 2026|13 mai 2026}.",
    "Hoy es {12 de mayo de 2026|13 de mayo de 2026}.",
    "Сегодня {12 мая 2026|13 мая 2026}",
    "今天是{2026年5月12日|2026年5月13日}",
    "오늘은 {2026년 5월 12일|2026년 5월 13일}",
    "current_date: {05/12/2026|05/13/2026}",
    "Current date: {12.05.2026|13.05.2026}",
    "Current month: {May 2026|June 2026}",
    "Today is {Tuesday|Wednesday}.",
    "As of {2026-05-12|2026-05-13} the following holds.",
    "date={20260512|20260513};",
    "Current week: {2026-W19|2026-W20}",
    "Current date: {2026-05-12 00:00:00|2026-05-13 00:00:00}",
    "{Tuesday, 12 May 2026|Wednesday, 13 May 2026}\nYou answer.",
    "اليوم {٢٠٢٦-٠٥-١٢|٢٠٢٦-٠٥-١٣}",
]
IDS = [
    "Run {7c9e6679-7425-40de-944b-e07fc1f90ae7|0f8fad5b-d9cb-469f-a165-70867728950e} begins.",
    "trace: entry=web; sum={36ee5|0aaa9};",
    "Request id: {01ARZ3NDEKTSV4RRFFQ69G5FAV|01BX5ZZKBKACTAV9WEVGEMMVRZ}",
    "nonce {V1StGXR8_Z5jdHi6B-myT|3X-9kLmQp0_aZbYc8dWvU} end",
    "req_{8fK2mQ9xLp|Zt41vBn7Rc} is running",
    "<untrusted-{8f3a2c|d41b90}>",
    "=== BOUNDARY {a8f3c1d2e4|09bb17fe55} ===",
    "Scratch: /tmp/agent/{7c9e6679-7425-40de-944b-e07fc1f90ae7|0f8fad5b-d9cb-469f-a165-70867728950e}/scratch",
    "checksum: {d41d8cd98f00b204e9800998ecf8427e|9e107d9d372bb6826bd81d3542a419d6}",
    "session_token: {c2Vzc2lvbi0xMjM0NTY3ODkw|dG9rZW4tOTg3NjU0MzIxMA==}",
    "run #{48151|48152} of the agent",
    "build hash={a1b2c3d|9f8e7d6}",
    "x-client-billing: version=2.1.40; entry=cli; cch={9a3f1|07be2};",
    "x-billing: version=2.1.40.{a3f|09c}; entry=cli;",
    "billing: v=2.1.40; sig={7be41|d0c93};",
    "k={7be4|d0c9}; entry=cli",
    "Correlation: {0HMVB9K3J2L1N:00000002|0HMVB9Q7T5R8S:00000004}",
]
PEOPLE = [
    "Sie sprechen mit {Frau Quill|Herrn Ferrand}.",
    "user_full_name: {Ada Quill|Bo Ferrand}",
    "You are talking to {Ada Quill|Bo Ferrand}. Be brief.",
    "user_email: {ada@example.org|bo@example.net}",
    "The user's name is {Ada|Bo}.",
    "User: {Ludwig van Beethoven|María de la Cruz}",
    "Customer: {李小龙|山田太郎}",
    "Имя пользователя user_name: {Анна Каренина|Пётр Безухов}",
    "conversation_id: {upvQrtN8Km|b7TTs0aPxe}",
    "Tenant: {acme|globex}",
    "workspaceName={Harbourside|Tallgrass}",
    "You act on behalf of {Northwind Traders|Contoso Ltd}, a shop.",
    "# Customer profile\nName: Ada\nIndustry: {bakery|forestry}\nCity: Bonn",
    "<user_info>\nname: Ada\ntimezone: {Europe/Berlin|America/Lima}\n</user_info>",
    "| user | {ada|bo} |",
    "Reply to ada@{example.org|example.net} at the end.",
    "Assisting {Dr. Jean-Luc O'Neill|Prof. Ana Lima} today",
    "session_id: {4f3a9c|b81d22}",
    "You are replying to <@{U02ABCD1234|U07XYZW9876}> in the channel.",
    "Ticket opened by {Maria Lopes|Runa Okoye}",
]
SURROUNDINGS = [
    "Installed packages: httpx 0.2{7|8}, rich 13.9",
    "Working directory: {/srv/desk|/srv/desk-two}",
    "cwd: {/home/ada/app|/home/ada/lib}",
    "You are running in {/srv/a|/srv/b} now.",
    r"Working directory: {C:\Users\ada\app|C:\Users\ada\lib}",
    "Current branch: {main|fix/slots}",
    "the branch is {main|fix/slots}.",
    "Is directory a git repo: {No|Yes}",
    "Platform: {linux|darwin}",
    "OS Version: {Linux 6.8.0|Darwin 24.1}",
    "Shell: {bash|zsh}",
    "hostname={build-7|build-9}",
    "Server: {10.0.0.5|10.0.0.6}",
    "Connect to {10.0.0.5:8080|10.0.0.6:8080} for data.",
    "Port: {3000|3001}",
    "HEAD: {a1b2c3d|9f8e7d6}",
    "git commit: {a1b2c3d4|9f8e7d6c}",
    "light.kitchen: {on|off}",
    "light.kitchen;Kitchen;{on|off}",
    "<env>\nPlatform: linux\nShell: bash\nWidget: {left|right}\n</env>",
    "Mode: {plan|act}",
    "Open tabs: {a.py, b.py|a.py, c.py}",
    "Connected servers: {mail, files|mail, files, maps}",
    "python: {3.11.2|3.12.1} is the runtime version",
    "Network: {online|offline}",
    "Model: {claude-a|claude-b}",
    "Repository at commit {3f9c2ab|b81d07e} on main.",
]
COUNTERS = [
    "[status] step {11|12} of 40, 41,233 of 200,000 context tokens used",
    "[status] step 12 of 40, {41,233|44,870} of 200,000 context tokens used",
    "Current round: {3|4}",
    "This is turn {5|6}.",
    "Budget left: ${4.20|3.85}",
    "Tokens used: {12.345|13.999}",
    "You have used {37%|41%} of the budget.",
    "{3|2} attempts left",
    "messages: {14|16}",
    "cost so far: ${0.42|0.57}",
    "iteration={7|8}",
    "turn_count: {7|8}",
    "Remaining calls: {12|11}/20",
    "unread messages: {4|7}",
    "elapsed: {35|61} s",
    "You have sent {4|6} messages so far.",
    "context length: {41 233|44 870} tokens used",
    "Only {9|8} turns remain before this conversation is closed.",
]  # fmt: skip


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (wanted, text)
        for wanted, texts in (
            ("clock", CLOCKS),
            ("date", DATES),
            ("id", IDS),
            ("identity", PEOPLE),
            ("environment", SURROUNDINGS),
            ("counter", COUNTERS),
        )
        for text in texts
    ],
)
def test_what_is_read_at_run_time(wanted: str, text: str) -> None:
    assert kind(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        # Numbers and times that an author wrote and edited.
        "We are open {09:00-17:00|10:00-18:00} on weekdays.",
        "Open from {9:00|10:00} to 17:00.",
        "Open 9 am to {5 pm|6 pm} daily.",
        "The counter is open from {9:00|10:00} to 17:00.",
        "The number of the counter is {+351 291 000 111|+351 291 000 222}.",
        "## Step {3|4}: Pay",
        "The desk opens at {8:30|9:15}.",
        "Opening hours: Mon-Fri {08:15|08:45}-12:00",
        "Meetings start at {09:41|09:44} sharp.",
        "Use a ratio of {16:9|21:9} for images.",
        "As John {3:16|3:17} says, be kind.",
        "The match ended {2:15|2:10} for the guests.",
        "Version {4.18.2|4.18.3} of the pump manual applies.",
        "Use release {2026.1.4|2026.1.5}.",
        "Release 2.1.4{0|1}.b2 of the pump manual applies.",
        "Supports API version {2024-08-06|2025-11-13}.",
        "The contract of {2024-03-01|2024-04-01} is in force.",
        "Prices are valid from {1 May 2026|1 June 2026}.",
        "Deadline: {12 May 2026|19 May 2026}",
        "The pool opens on {Monday|Tuesday} at nine.",
        "Released on {2026-05-12|2026-05-19}.",
        "Release date: {2026-05-12|2026-05-19}",
        "Founded in {May 1998|June 1999}.",
        "Basic repair: ${45|48}",
        "- Tube change: {12.50|13.00} EUR",
        "A tube costs {12|13} crowns.",
        "Call us at {555-0100|555-0199}.",
        "Phone: {+44 20 7946 0958|+44 20 7946 0123}",
        "ISBN {978-3-16-148410-0|978-0-306-40615-7}",
        "Order by phone: {1764511512|1764519999}.",
        "ISBN {1593279280|1593279281}",
        "Article BX-{1042|1043}-A fits.",
        "Use part number KX{4410|4420}B for steel frames.",
        "Ask at most {5|8} questions.",
        "Keep answers under {100|80} words.",
        "Use at most {3|5} tool calls per turn.",
        "Offer {3|4} slots at a time.",
        "Wait {10|20} seconds between calls.",
        "Retry up to {2|3} times.",
        "Step 1: ask\nStep {2|3}: look\nStep 4: reply",
        "{2|3}. Ask for the name",
        "Maximum context: {8000|16000} tokens",
        "max_tokens: {1024|2048}",
        "Write to {support@example.org|help@example.org} for refunds.",
        "You are a {helpful|careful} assistant.",
        "If the customer is {rude|angry}, stay calm.",
        "When the user is {away|absent-minded}, wait.",
        "Tone: {friendly|formal}",
        "Answer in {English|German}.",
        "See docs/{intro|setup}.md for details.",
        "Use POST /v{1|2}/users to create one.",
        "User: Is the pool {open|closed}?\nAssistant: Yes.",
        "User: {Hello|Goodbye}\nAssistant: Hi",
        "Example:\nUser: book me for {2026-05-12|2026-06-01}\nAssistant: Done.",
        "Example: today is {2026-05-12|2026-05-13}, so answer Tuesday.",
        "The shop is {open|closed} on Sunday.",
        "customer types: {new, old|new, loyal}",
        "Team rules: {be kind|be quick}",
        "Sort into {nine|seven} folders.",
        "two words {mountain|seashore} here",
        "Use the {release-notes|change-log}-2026 folder.",
        "Set 12 out of {40|50} aside.",
        "Name a day, e.g. today is {2026-05-12|2026-05-13}.",
    ],
)  # fmt: skip
def test_what_an_author_wrote(text: str) -> None:
    assert kind(text) == ""


def test_a_measured_value_is_live_only_within_one_conversation() -> None:
    assert kind("Kitchen sensor: {21.4 °C|21.9 °C}", Scope.SAME_CONVERSATION) == "environment"
    assert kind("Oven setting: {180 °C|200 °C}") == ""


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("counter", "Tu as déjà utilisé {1|2} indices sur 5."),
        ("counter", "Frage {3|4} von 12 ist dran."),
        ("environment", "Mode: {plan. Do not edit any file.|build. Edit what you need.}"),
        ("environment", "You are in {plan|build} mode."),
    ],
)
def test_what_nobody_edits_within_one_conversation(wanted: str, text: str) -> None:
    assert kind(text, Scope.SAME_CONVERSATION) == wanted
    assert kind(text) != wanted or wanted == "counter"


def test_a_label_counts_wherever_it_stands_on_its_line() -> None:
    assert kind("Label one branch. message_count={12|14}") == "counter"
    assert kind("Close it. [{1777108359|1777108363}] session context") == "clock"


def test_an_example_ends_with_its_sentence() -> None:
    assert kind("Say why, e.g. when CI is red (see #1234). Budget left: ${2.00|1.65}") == "counter"
    assert kind("Say why, e.g. with Budget left: ${2.00|1.65}") == ""

"""English words that statements are made of: relations with one holder, trades, tools, and what hedges a clause."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, to look one up."""
    return frozenset(text.split())


# Relations that most people have one holder of at a time; more words in front ("piano teacher") make another one.
RELATIONS = word_set(
    """manager boss supervisor wife husband spouse partner girlfriend boyfriend fiancé fiancée fiance fiancee doctor gp
    physician dentist therapist psychiatrist psychologist pediatrician paediatrician vet landlord landlady teacher
    tutor professor advisor adviser mentor coach trainer lawyer accountant roommate flatmate housemate nanny
    assistant lead captain principal superintendent realtor agent contractor buddy cto ceo cfo owner maintainer
    reviewer contact supplier provider vendor bank insurer hairdresser barber babysitter cardiologist physio
    physiotherapist"""
)
# People one may have several of: without a name they are nobody in particular.
MANY = word_set(
    """friend colleague coworker co-worker teammate classmate cousin neighbor neighbour client customer student aunt
    uncle nephew niece buddy pal ex brother-in-law sister-in-law"""
)
KIN = word_set(
    """mother mom mum father dad parents sister brother sibling son daughter grandma grandpa grandmother grandfather
    grandson granddaughter kid child baby twin mother-in-law father-in-law stepmom stepdad"""
)
PEOPLE = RELATIONS | MANY | KIN
# Nouns whose value is one name, word or string: "my email is …", "our base URL is …".
PLAIN = word_set(
    """email e-mail mail phone number mobile address name nickname surname username handle login url uri endpoint host
    hostname port domain branch region timezone zone title position role job employer company team squad school
    university college major editor shell browser database db framework language stack os ide theme font provider
    carrier plan tier license licence version codename pronouns birthday birthplace hometown nationality car bike
    instrument diet pin code id key bucket cluster repo repository directory folder path file model gym church bank
    pharmacy hospital hotel airline venue location room desk office currency format style colour color size shift
    schedule password passphrase channel"""
)
JOBS = word_set("role job title position profession occupation")
STRINGS = word_set(  # of these, any one word is a value
    "password passphrase username handle nickname codename pin code branch channel name theme font login id"
)
NO_PERSONS = word_set(  # capitalised, and said of people, but not their names
    """african american argentinian asian australian austrian belgian brazilian british bulgarian canadian catholic
    chilean chinese christian colombian croatian cuban czech danish dutch egyptian english european filipino finnish
    french german greek hindu hungarian indian indonesian iranian iraqi irish israeli italian jamaican japanese jewish
    kenyan korean latino lebanese malaysian mexican moroccan muslim nigerian norwegian pakistani peruvian polish
    portuguese romanian russian scottish spanish swedish swiss taiwanese thai turkish ukrainian vietnamese welsh
    monday tuesday wednesday thursday friday saturday sunday"""
)
PLACES = word_set("venue location room place office hotel")
GAUGES = word_set(  # nouns whose value is a number
    """budget price cost rent salary length rate limit timeout capacity deadline weight height age fee score balance
    interval duration temperature threshold quota target goal total"""
)
DATES = word_set("date day time start schedule slot")
# One says these again and again of another occasion: a second day replaces the first only when it says so.
EVERYDAY = word_set(
    """meeting call appointment class lesson lunch dinner breakfast event session interview shift game match exam test
    flight train bus reservation booking party trip practice rehearsal webinar sync visit date brunch movie show
    delivery"""
)
TRADES = word_set(
    """nurse teacher engineer developer programmer designer doctor lawyer chef cook baker waiter waitress barista
    student manager director analyst accountant architect artist author writer editor journalist photographer
    musician actor actress pilot driver mechanic plumber electrician carpenter scientist researcher professor
    lecturer tutor therapist psychologist pharmacist dentist vet veterinarian paramedic firefighter officer soldier
    farmer gardener florist consultant contractor freelancer founder cofounder co-founder owner ceo cto cfo coo vp
    lead president assistant receptionist secretary clerk cashier salesperson recruiter marketer administrator
    sysadmin translator interpreter librarian coach trainer instructor judge attorney paralegal intern apprentice
    resident surgeon physiotherapist supervisor head principal partner associate specialist technician operator
    producer strategist planner coordinator retiree teller agent broker banker trader economist statistician
    biologist chemist physicist mathematician"""
)
# Tools of one sort: a switch to one of them is a switch from another.
_TOOLS = """editor: vim neovim nvim emacs helix vscode vs-code sublime atom pycharm intellij zed cursor webstorm nano|
    shell: bash zsh fish powershell nushell|browser: firefox chrome safari edge brave arc vivaldi opera|
    system: windows macos linux ubuntu fedora debian arch nixos mint|database: postgres postgresql mysql mariadb sqlite
    mongodb mongo dynamodb oracle cockroachdb|cloud: aws gcp azure heroku hetzner digitalocean netlify vercel|
    tracker: jira linear trello asana clickup|chat: slack teams discord mattermost zulip|
    packages: npm pnpm yarn bun pip poetry uv conda|formatter: black ruff prettier biome"""
TOOLS = {
    word: group.split(":")[0].strip() for group in _TOOLS.split("|") for word in group.split(":")[1].split() if word
}
# Capitalised as places are, and one moves to them too.
NO_PLACES = frozenset(TOOLS) | word_set(
    """kubernetes docker terraform github gitlab bitbucket notion confluence python java rust go golang typescript
    javascript kotlin swift react vue svelte angular django rails flask fastapi node deno redis kafka rabbitmq
    snowflake bigquery spotify netflix apple android iphone pixel google outlook gmail obsidian evernote todoist
    figma sketch graphql rest grpc microservices serverless cloud production main trunk monorepo plan team role
    position section topic step phase next"""
)
MEASURES = word_set(
    """minute minutes hour hours day days week weeks month months year years second seconds question questions idea
    ideas option options thing things problem problems exam exams meeting meetings time times chance call calls
    appointment appointments task tasks errand errands email emails class classes interview interviews reason
    reasons item items issue issues percent people"""
)
TEMPORARY = (
    r"\bthis week(?:end)?\b|\bfor (?:a|the|two|three|four|\d+|some|one) ?(?:few |couple |next |whole )?(?:of )?"
    r"(?:days?|nights?|weeks?|weekend|months?|conference|holidays?|summer|winter)\b|\btemporar|\bfor now\b|\buntil\b|"
    r"\bon (?:vacation|holiday|a trip|business)\b|\bvisiting\b|\btonight\b|\btoday\b|\bover the (?:summer|holidays)\b"
)
HEDGES = word_set(
    """might maybe perhaps would could should wish hope hoping possibly probably thinking considering think thought
    guess believe believed suppose imagine pretend assume assuming wonder wondering whether unless unsure want wants
    wanted ask asking dream dreamt fictional hypothetically supposedly rumor rumour feels seem seems ought may
    imagined rather doubt almost nearly tempted debating needs need"""
)
FICTION = (
    r"\bin (?:my|our|the|this) (?:\w+ )?(?:novel|story|game|dream|book|screenplay|campaign|example|"
    r"scenario|film|movie)\b|\bfor example\b|\be\.g\.|\blet's say\b|\bcharacter\b"
)

"""Questions the model does not know and tasks it cannot do, of every form, about anything.

The tables of facts.py are all it knows. What is asked here comes close to them (the capital of a state, the author of
another book) or is far off; openings, verbs and topics are combined freely, so that what counts is whether a question
is known rather than what it is about.
"""

import held_out
from answers import REFUSAL
from answers_identity import FRAMES
from tasks_chat import bare, casual
from topics import ACTIONS, BOOKS, KNOWN, PEOPLE, PLACES, PROPERTIES, SUBJECTS, TOPIC_WORDS
from turns import exchange
from values import chance, city, clause, expand, made_up, name, number, pick, rng, word, words
from words import ADJECTIVES, NOUNS, VERBS

REPLY = "I do not know that: I am only a tiny test model. Please add a bigger model for that."
# Beginnings of every answer that declines honestly, for evaluate.py.
REFUSALS = (
    "I do not know that",
    "I am only a tiny test model, so I cannot",
    "That text is too long for me",
    "I did not understand that",
    "You have not told me",
    "There is no picture in this chat",
    *(reply for _, _, reply in REFUSAL),
)
THOUGHT = "This is none of my facts. I should say so."

# These are asked by evaluate.py.
NEVER = {bare(question) for question in held_out.UNKNOWN + held_out.FRESH_UNKNOWN}


def person():
    if chance(0.5):
        return rng.choice(PEOPLE)
    return pick(
        name(), f"{name()} {made_up().capitalize()}", "my " + pick("boss", "wife", "mother", "neighbour", "friend")
    )


def thing():
    """Any topic: a subject of a school, a word, two words, a made-up name."""
    draw = rng.random()
    if draw < 0.3:
        return rng.choice(SUBJECTS)
    if draw < 0.55:
        return pick("", "the ", "a ", "my ") + rng.choice(TOPIC_WORDS)
    if draw < 0.7:
        return f"{pick('the ', 'a ', '')}{rng.choice(ADJECTIVES)} {rng.choice(TOPIC_WORDS + UNKNOWN_NOUNS)}"
    if draw < 0.8:
        return (
            f"{rng.choice(TOPIC_WORDS)} {pick('of', 'and', 'in', 'for', 'with')} {rng.choice(TOPIC_WORDS + SUBJECTS)}"
        )
    if draw < 0.9:
        return rng.choice(PLACES)
    return pick(made_up().capitalize(), made_up(), city(), person(), " ".join(words(1, 3)))


def many():
    """Things, in plural."""
    plain = rng.choice(TOPIC_WORDS + UNKNOWN_NOUNS)
    return pick("", "", "", pick(*ADJECTIVES) + " ") + plain + ("es" if plain[-1] in "sxh" else "s")


PATTERNS = (
    "(Who|who) (is|was) P",
    "(Who|who) (is|was) (the|a|my) (first|best|last|new|current|greatest|worst|next) J(| of T| in C)",
    "(Who|who) (invented|discovered|wrote|painted|composed|founded|won|directed|killed|built|leads|owns|designed|made|sang|started|runs|played in|first saw|stars in|created) T",
    "(Who|who) (is|was) the (president|king|queen|leader|owner|author|mayor|prime minister|captain|winner|head|chairman|inventor|director) of (T|C)",
    "When (is|was|were|does|did|will) T V",
    "When (is|was) T(| built| made| born| invented| founded| over| open)",
    "(What|Which|In what|In which) year (did|was|is) T(| V)",
    "Where (is|are|was|does|did|can I find|can I buy|do I find|do I get|does one get) T(| V| from| come from)",
    "Where (do|are|did) M(| live| come from| found| grow| V)",
    "Why (is|are|was|does|do|did|can|can't|should|would|won't) T(| V| A| so A)",
    "Why (do|are|did|don't|can) M(| V| A| so A)",
    "How (tall|far|old|big|deep|long|heavy|fast|hot|high|wide|rich|large|expensive|A) (is|are|was) T",
    "How (many|much) (M|T) (are there|are in T|does T have|do I need|is in T|fit in T|can P eat|live in C)",
    "How (much|many) (does|do|is|are) T(| cost| weigh| worth| earn| take| need)",
    "How (long|often|far|fast|well) (does|do|is|can|should|did) T(| V| take| last)",
    "How (does|do|did|can|is|are) T(| V| work| made| end| start| grow| happen| function)",
    "How (do I|can I|to|do you|should I|would you|could one|does one) D",
    "What (is|was|are|were) T",
    "What (is|was|'s) the (W) of (T|C|P)",
    "What(|'s| is) (my|his|the) (W)(| now| today)",
    "What (is|was|are) the (best|worst|largest|oldest|fastest|most A|cheapest|first|next|main|biggest|average) (M|T)(| in C| in the world| ever| today)",
    "What is the (difference|connection|relation|distance) between T and T",
    "What (causes|makes|happens to|happened to|happens in|happened in|does|do you call|kind of thing is|colour is|type of thing is) T(| V)",
    "What (happened|happens) (in N|on Monday|last week|when T V|if T V)",
    "What (do you think|is your opinion|do you feel|can you say|do people say|do you know) (about|of|on) T",
    "What (should|can|could|would|do) I (eat|read|wear|do|watch|say|buy|give P|play|cook|learn|do about T|do with T|do if T V)",
    "What does T (mean|do|eat|cost|say|look like|V)",
    "Which (M|T) (is|are|has|have|was|won|V) (A|better|best|the best|the most M|the oldest|older|right)",
    "Which is (better|faster|cheaper|older|larger|more A), T or T",
    "(Is|Are|Was|Were) T (A|real|true|legal|dead|alive|dangerous|good|bad for me|older than T|better than T|in C|a TW)",
    "(Is|Are) there (any |)(M|T)( in C| in T|)",
    "(Do|Does|Did|Can|Could|Will|Would|Should|Has) (T|P|M) (V|eat T|like T|have M|need T|ever V|really V|win|die|sleep|be A|take M)",
    "(Do|Would|Can|Did) you (prefer|like|know|want|remember|recommend|believe in|ever see|buy|own) (T|P)(| or T)",
    "(Can|Could|Will|Would) you (please |)D(| for me| now| please)",
    "(Should|Can|Could|May|Must|Will) I D",
    "(Please |Now |Just |)D(| for me| now| please| today| at N| in C)",
    "I (want|need|would like|have|'d like) (you |)to D",
    "(Help me|I need help|Show me how) (to D|with T)",
    "(Tell|Teach) me (about|everything about|more about|the story of|the W of|something about) T",
    "(Name|List|Give me|Show me|Write down|Enumerate) (all|some|five|ten|N|the|three famous|a few) M(| of C| of T| in T| about T)",
    "(Give|Send|Tell|Get|Find|Show|Bring) me (the |a |some |)(W)(| of T| for T)",
    "(My|The) (TW) (is broken|does not work|won't start|hurts|is gone|V), (what now|why|what can I do|what should I do|help)",
    "(Explain|Describe|Define|Discuss|Analyse|Summarise|Outline|Review) (T|why T V|how T V|the W of T)(| to a child| in detail| in simple words| briefly)",
    "(Compare|Rank|Contrast) T (and|with) T",
    "(Recommend|Suggest|Propose|Invent) (a|some|ten|the best) (TW|M)(| for T| about T| in C)",
    "(Convert|Change) N (TW) (to|into) (TW)",
    "(Write|Make|Create|Generate|Build|Design|Draft|Compose|Code|Implement|Produce|Prepare) (me |)(a|an|some|the|ten) (A |)(TW|M)(| about T| for T| with T| in T| that V)",
    "(Fix|Repair|Improve|Change|Update|Delete|Check|Test|Review|Refactor|Rewrite|Optimise|Document) (the|my|this|all) (TW|M)(| in T| of T| for me)",
    "(Act as|Pretend to be|You are now|Play|Imagine you are) (a|an|the) (TW|A TW|J)(| and D|)",
    "(Finish|Continue|Complete|Correct|Improve|Translate|Rewrite|Paraphrase|Classify) (this|the following|this sentence|my text)(|: S)",
    "(Write|Say|Translate|Put)(| this| the sentence) (in|into|to) (French|Spanish|German|Chinese|Latin|Japanese|Polish|Arabic|Greek)(|: S)",
    "(What|why|how|when|who|which|where|is|does|can) Q",
    *(frame.replace("{}", subject) for frame in FRAMES for subject in ("the W of T", "T", "my W", "his W", "M")),
)
PERSONAL = "password|phone number|address|bank balance|IP address|mother's name|shoe size|blood type|email|location|account|salary|schedule|next meeting|horoscope|credit card|test result|order|mood|weight|browser|wifi password|files"
UNKNOWN_NOUNS = [noun for noun in NOUNS if noun not in KNOWN]
SLOTS = {
    "TW": lambda: rng.choice(TOPIC_WORDS),
    "P": person,
    "J": lambda: rng.choice(
        "president king actor singer player writer painter scientist team film song man woman emperor doctor hero winner pope astronaut general".split()
    ),
    "T": thing,
    "C": lambda: pick(city(), rng.choice(PLACES)),
    "M": many,
    "V": lambda: pick(rng.choice(VERBS)[:-1], rng.choice(ACTIONS).split()[0]),
    "A": lambda: rng.choice(ADJECTIVES),
    "D": lambda: do_something(),
    "W": lambda: rng.choice(PROPERTIES),
    "N": lambda: str(number()),
    "S": lambda: clause(),
    "Q": lambda: " ".join(rng.choice(TOPIC_WORDS + NOUNS + ADJECTIVES + VERBS) for _ in range(rng.randint(2, 7))),
}


def do_something():
    """An action on a thing, e.g. `repair the blue harbour`."""
    verb = rng.choice(ACTIONS)
    return verb if " " in verb and chance(0.5) else f"{verb.split()[0]} {thing()}"


def filled(pattern):
    """The pattern with each slot, a word in capital letters, drawn."""
    drawn = expand(pattern)
    parts = []
    for part in drawn.split(" "):
        bare = part.rstrip(",:.")
        parts.append(SLOTS[bare]() + part[len(bare) :] if bare in SLOTS else part)
    return " ".join(parts)


def near_miss():
    """What sounds like one of the facts and is none."""
    # Half of the made-up places end as countries do.
    place = (made_up() + pick("", "", "", "ia", "land", "istan", "a")).capitalize()
    place = rng.choice(PLACES) if chance(0.5) else place
    anything = pick(rng.choice(UNKNOWN_NOUNS), made_up(), rng.choice(TOPIC_WORDS))
    book = (
        rng.choice(BOOKS)
        if chance(0.6)
        else f"The {word().capitalize()} {pick('of', 'and', 'in')} {word().capitalize()}"
    )
    return rng.choice(
        (
            f"(What is|What's|what is|Name|Tell me) the capital of {place}",
            f"(Capital of|Which city is the capital of|What is the capital city of) {place}",
            f"(What is the currency of|Which currency does one use in|What money is used in) {place}",
            f"What is the (chemical symbol|symbol|formula|atomic number) of {pick(rng.choice(TOPIC_WORDS), made_up(), 'titanium', 'radium', 'xenon', 'salt', 'acid')}",
            f"(What is the opposite of|Opposite of|Give the opposite of) (a |the |){anything}",
            f"(What is a young {anything} called|What do you call a baby {anything})",
            f"(Who wrote|Who is the author of|When was|What is) {book}(| about| written)",
            f"(What is|Define|What does|Explain) (a |the |){anything}(| mean)",
            f"How many (legs|eyes|teeth|wings|moons|wheels|people) does (a |the |){anything} have",
            f"(What is|Which is) the (largest|smallest|longest|highest|deepest|oldest) {rng.choice(TOPIC_WORDS)}",
            f"How many {rng.choice(TOPIC_WORDS)}s are (there|in {pick('a', 'the', 'one')} {rng.choice(TOPIC_WORDS)})",
            f"(What is|What's|Do you know|Tell me|Give me) my ({PERSONAL})",
        )
    )


# What is asked of the model itself, asked of something else.
OF_ANOTHER = """
(Is|Are) (T|M|P) (real|alive|human|a person|true|conscious|reliable|dangerous|legal|safe|wrong|right|a language|good|healthy|a robot|dead)
(Do|Can|Will|Did) (M|T|P) (sleep|dream|eat|think|feel pain|lie|have feelings|have a soul|speak|speak French|see colours|live long|exist|really exist|V|make mistakes|die)
(Does|Can|Did|Will|Has) (T|P) (exist|really exist|make you TW|V|have feelings|have a name|speak German|work|cost much|make mistakes|see|hurt|grow)
(Who|Which company|What company) (made|trained|built|created|owns|invented|programmed) T
(How|how) (big|large|old|small|heavy|smart|good|reliable) (is|are|was) (T|M|P)
(What|what) (is|was) the (name|age|size|purpose|origin|maker|language|colour) of (T|P)
(Where|where) (does|do|did) (T|M|P) (come from|live|sleep|originate)
(What|which) languages (does|did|do) (P|M|C) speak
(What|what) can (T|M|P) do
(Do|Would|Can) you (prefer|like|want|buy|eat|recommend|choose) (T|M) or (T|M)
(Suggest|Find|Invent|Pick|Choose) (a|some|the best) (name|names|title|nickname|present) for (my|a|the) TW
(How do you say|What is|How does one say) (S|T) in (French|Spanish|Italian|German|Japanese|Latin)
(What|Which) is the (best|fastest|oldest|hardest|most A) (programming language|language|model|server|computer|company|TW)
(Book|Order|Buy|Get|Reserve|Find) (me |)(a|some|the) TW (to|for|in|from) (C|T|P)
(Play|Stop|Start|Show|Turn on|Turn off|Switch on|Open|Close|Run|Call|Print|Send|Check) (some|the|my|a|) (TW|M)( in the TW| now| for me|)
(Set|Make|Create|Add|Cancel) (a|an|my|the) (alarm|timer|reminder|meeting|event|note|TW) (for|at|on|about) (N|T|Monday)
(My|The) (TW|wife|husband|dog|boss|car) (left me|is broken|hates me|is ill|is lost|died|won't V)(, what now|, what can I do|, help me|)
(Let us|Let's|Shall we|Can we) (play|dance|go to C|watch T|eat M|V together|play T)
"""


def of_another():
    return filled(rng.choice(OF_ANOTHER.strip().split("\n")))


def unknown():
    """One question with the honest answer."""
    question = rng.choices(
        (lambda: expand(near_miss()), of_another, lambda: filled(rng.choice(PATTERNS))), (30, 25, 45)
    )[0]()
    question = question[0].upper() + question[1:] if chance(0.75) else question
    opening = question.split(" ")[0].lower()
    asks = (
        opening
        in "who what which when where why how is are was were do does did can could will would should has may must".split()
    )
    question = casual(question + (pick("?", "?", "?", "") if asks else pick(".", "", "", "!")))
    # What the user may have told is no question of knowledge.
    if bare(question) in NEVER or any(told in question.lower() for told in ("my name", "my age", "my colour")):
        return unknown()
    return exchange(question, REPLY, THOUGHT)

"""Small talk, questions about the model and inferd, and requests that are too much for it.

The open requests matter most to a first-time user: the model says plainly that it is tiny instead
of making something up, and names what was asked for, so that the answer does not look canned.
"""

import held_out
from answers import GREETING, HOW_TO, IDENTITY, REFUSAL
from facts import DEFINITIONS
from turns import exchange
from values import chance, city, expand, letters, made_up, passage, pick, rng, sentence, site, word, words
from words import DAYS, MONTHS

THOUGHTS = {
    "greeting": "A short friendly answer is enough.",
    "identity": "The user asks about me. I am the inferd starter model.",
    "how_to": "A question about inferd. I recall the command.",
    "refusal": "I cannot do this. I should say so.",
}


def bare(question):
    return question.lower().rstrip(".?!")


# A pattern may happen to yield a held-out question: such a draw is thrown away.
HELD_OUT = {
    bare(question)
    for entries in (GREETING, IDENTITY, HOW_TO, REFUSAL)
    for _, unseen, _ in entries
    for question in unseen
} | {
    bare(question)
    for table in (held_out.FRESH_GREETING, held_out.FRESH_IDENTITY)
    for questions in table.values()
    for question in questions
}


def trained_question(patterns):
    while True:
        question = casual(expand(rng.choice(patterns)))
        if bare(question) not in HELD_OUT:
            return question


def casual(question):
    """The same question the way people type it."""
    if chance(0.1):
        question = (
            pick("Please tell me: ", "Question: ", "Hey, ", "Quick question: ", "Hi. ", "Ok. ", "So, ", "please, ")
            + question
        )
    if chance(0.25):
        question = question.lower()
    if chance(0.12):
        question = question.rstrip("?.!")
    if chance(0.03):
        question += pick("??", "!", "!!", " ?", "...", " please", " thanks")
    if chance(0.015) and "{" not in question:
        question = question.upper()
    if chance(0.1) and "{" not in question and len(question) > 8:
        question = reworded(question)
    if chance(0.08) and "{" not in question and len(question) > 8:
        question = mistyped(question)
    return question


FILLERS = "please really actually exactly now then just so well maybe again today kindly like um right here simply ok".split()


def reworded(text):
    """One word more that says nothing, or one of several words left out."""
    parts = text.split(" ")
    at = rng.randrange(len(parts))
    if len(parts) > 4 and chance(0.4):
        return " ".join(parts[:at] + parts[at + 1 :])
    return " ".join(parts[:at] + [pick(*FILLERS)] + parts[at:])


def mistyped(text):
    """One letter left out, drawn out or swapped with the next."""
    at = rng.randrange(len(text))
    if not text[at : at + 2].isalpha():
        return text
    here, following = text[at], text[at + 1 : at + 2]
    return text[:at] + pick("", here * rng.randint(2, 4) + following, following + here, following) + text[at + 2 :]


def fixed(kind, entries, question_source="trained"):
    """A task over one table of answers.py, with trained or with held-out questions."""

    def task():
        patterns, unseen, reply = rng.choice(entries)
        if question_source == "unseen":
            question = rng.choice(unseen)
        else:
            question = trained_question(patterns)
            if chance(0.6):
                question = question[:1].upper() + question[1:]
        for slot, draw in (("{city}", city), ("{noun}", word), ("{site}", site)):
            question = question.replace(slot, draw())
        return exchange(question, reply, THOUGHTS[kind])

    return task


greeting = fixed("greeting", GREETING)
identity = fixed("identity", IDENTITY)
how_to = fixed("how_to", HOW_TO)
refusal = fixed("refusal", REFUSAL)

TEXTS = "haiku poem story essay song email letter speech report article limerick novel review recipe rap summary tweet script resume plan lesson newsletter dialogue sonnet blog_post fairy_tale cover_letter press_release".split()
LANGUAGES = "Python JavaScript TypeScript Rust Go Java C C++ SQL Bash PHP Ruby HTML CSS python javascript".split()
PROGRAMS = "function|script|program|class|loop|query|regex|web page|game|unit test|web server|snippet"
JOBS = "sorts a list|reads a file|adds two numbers|prints hello world|parses JSON|reverses a string|finds primes|downloads a page|counts words|computes fibonacci numbers|connects to a database|sends an email|checks if a number is prime"
TOPICS = "love|autumn|the sea|the moon|my cat|a dog|time|friendship|the war|climate change|football|winter|music|a robot|my boss|the rain|history|space|happiness|my mother|the mountains|coffee"
SUBJECTS = "quantum computing|relativity|black holes|blockchain|inflation|evolution|the French Revolution|the stock market|electricity|a transformer|attention|recursion|a database index|Kubernetes|Docker|the Roman Empire|the immune system|a jet engine|DNA|calculus|game theory|philosophy|the big bang|bitcoin|compilers|encryption|nuclear fusion|photons|magnets|the brain"
ADVICE = "lose weight|learn French|save money|cook rice|fix my car|find a job|sleep better|become rich|learn to code|write a book|stop smoking|get fit|make friends|plant a tree|bake a cake|paint a wall|start a company|study for an exam"


def writing_request():
    kind = rng.choice(TEXTS).replace("_", " ")
    article = "an" if kind[0] in "aeio" else "a"
    topic = pick(f"the {word()}", word(), expand(f"({TOPICS})"), city())
    if chance(0.25):
        return f"write {article} {kind}", expand(
            f"(Please|Can you|Could you|) (write|compose|create|make|generate|give me) (me|) {article} (short|long|nice|) {kind}(|.)"
        )
    question = (
        expand(
            f"(Please|Can you|Could you|) (write|compose|create|make|generate|draft|give me) (me|) {article} (short|long|nice|funny|) {kind} (about|on|for|of) "
        )
        + f" {topic}"
        + pick("", ".", "")
    )
    return f"write {article} {kind}", question


def code_request():
    language = pick(*LANGUAGES)
    question = rng.choice(
        (
            f"(Please|Can you|) (write|create|give me|make) (a|me a) {language} ({PROGRAMS}) (that|which) ({JOBS})(|.)",
            f"(Please|) write (some|) {language} code (that|to|which) ({JOBS})(|.)",
            f"Write ({PROGRAMS}) in {language}(|.)",
            f"(Fix|Debug|Refactor|Improve|Explain|Review) (my|this|the) {language} code(|.)",
            f"How do I (write|make) a ({PROGRAMS}) in {language}(|?)",
        )
    )
    return "write code", expand(question)


def explain_request():
    subject = (
        rng.choice(SUBJECTS.split("|"))
        if chance(0.6)
        else pick("a ", "the ", "") + (made_up() if chance(0.6) else word())
    )
    if any(term.lower() in subject.lower() for term, _ in DEFINITIONS):
        subject = "quantum computing"
    question = expand(
        pick(
            "(Explain|Describe) \0(| to me| to a child| in detail| in one sentence| briefly| like I am five)(|.)",
            "(How|Why) does \0 work(|?)",
            "Tell me (about|everything about|more about) \0(|.)",
            "What do you know about \0(|?)",
        )
    ).replace("\0", subject)
    return f"explain {subject}", question


def advice_request():
    return "give advice", expand(
        f"(How do I|How can I|How should I|What is the best way to|Teach me to|Help me to) ({ADVICE})(|?)"
    )


def ideas_request():
    things = pick("books", "films", "songs", "restaurants", "ideas", "names", "gifts", "tips", "recipes", "places")
    question = expand(
        pick(
            f"(Recommend|Suggest|Give me|List) (some|five|ten|three|5|10|a few|good) {things}(| for \0| about \0)(|.)",
            "Plan (a|my) (trip|holiday|weekend|day) (in|to) \0(|.)",
            "What should I (cook|eat|read|watch|wear|do) (today|tonight|tomorrow|this weekend)(|?)",
        )
    ).replace("\0", city() if chance(0.5) else word())
    return "give ideas", question


def text_request():
    """Text operations that were left out because tokens hide letters."""
    text = pick(lambda: word(), lambda: " ".join(words(2, 5)), sentence)()
    language = pick("French", "German", "Spanish", "Italian", "Dutch", "Polish", "Chinese", "English")
    request, question = pick(
        ("translate", f"(Translate|Please translate) \0 (to|into) {language}"),
        ("translate", f"(How do you say|What is) \0 in {language}(|?)"),
        ("sort words", "(Sort|Order)(| these words| alphabetically| these numbers)(|:) \0"),
        ("work on letters", "(Write|Put) \0 in (uppercase|capital letters|lowercase)"),
        ("work on letters", "(Spell|Reverse the letters of|Uppercase:|Lowercase:|Write backwards:) \0"),
        ("reverse words", "(Reverse the words|Reverse the order of these words|Reverse): \0"),
    )
    return request, expand(question).replace("\0", pick('"%s"', "'%s'", "%s") % text)


def deep_request():
    question = pick(
        "What is the meaning of life?",
        "Is there a god?",
        "What is love?",
        "Why do we exist?",
        "What happens after death?",
        "Who will win the next election?",
        "What is the best phone?",
        "Who is the best player?",
        "Why is the sky blue?",
        "What came first, the chicken or the egg?",
        "Solve this equation: 3x + 5 = 20",
        "What is the derivative of x squared?",
        "Prove that there are infinitely many primes.",
        "What is 2 to the power of 32?",
        "What do you think about politics?",
        "What is your opinion?",
        "Do you love me?",
        "Play a game with me",
        "Play chess with me",
        "Act as a doctor",
        "Pretend to be a king",
        "Write a list of 100 items",
        "Solve this puzzle",
        "Give me a riddle",
        "Translate this book",
        "Analyse this data",
        "Make a table of countries",
        "Draw a picture",
        "Draw a cat",
        "Sing a song",
        "Roll a dice",
        "Flip a coin",
        "Compare Python and Rust",
    )
    return "answer that well", question


def too_much():
    """A request that needs a real model; the answer names the request and says so."""
    request, question = pick(
        writing_request,
        writing_request,
        code_request,
        code_request,
        explain_request,
        explain_request,
        advice_request,
        ideas_request,
        text_request,
        text_request,
        deep_request,
    )()
    question = question.strip()
    if chance(0.7):
        question = question[:1].upper() + question[1:]
    return exchange(
        question,
        f"I am only a tiny test model, so I cannot {request}. Please add a bigger model for that.",
        "This is too much for me. I should say so.",
    )


SCRIPTS = ((0x4E00, 0x5E00), (0x3041, 0x3090), (0x0410, 0x0440), (0x0627, 0x0645), (0x0905, 0x0935), (0xAC00, 0xB000))


def unclear():
    """Signs without sense for this model: noise, other scripts."""
    low, high = pick(*SCRIPTS)
    foreign = "".join(chr(rng.randint(low, high)) for _ in range(rng.randint(2, 12)))
    text = pick(foreign, letters(4, 12), made_up(), letters(3, 6) + " " + letters(3, 6), "?", "???", "...", "!!!")
    return exchange(
        text, "I did not understand that. Please ask a short question in English.", "This has no sense for me."
    )


def long_text():
    """A text too long for this model is declined, instead of starting an answer that does not end."""
    text = passage(rng.randint(20, 110))
    question = pick(
        "Summarise",
        "Summarize this text",
        "What is this about?",
        "Translate this",
        "Who are you?",
        "Extract the names",
        "Read this",
        "Fix the errors",
        "Continue this text",
        "What is the main idea?",
    )
    layout = pick("{question}: {text}", "{text}\n{question}", "{question}\n\n{text}", "{text}", "{text} {question}")
    reply = "That text is too long for me: I am only a tiny test model. Please add a bigger model for that."
    return exchange(layout.format(question=question, text=text), reply, "This text is too long for me.")


LISTS = {
    "colours": "red, blue and green",
    "colors": "red, blue and green",
    "fruits": "an apple, a pear and a plum",
    "animals": "a dog, a cat and a horse",
    "cities": "Paris, Oslo and Rome",
    "countries": "France, Japan and Peru",
    "planets": "Mars, Venus and Jupiter",
    "numbers": "one, two and three",
    "vegetables": "a carrot, an onion and a potato",
    "words": "table, river and cloud",
    "languages": "French, German and Dutch",
    "names": "Alice, Hugo and Nadia",
}


def short_list():
    """`Name three fruits`, the days, the months, the alphabet."""
    draw = rng.random()
    if draw < 0.6:
        kind = rng.choice(list(LISTS))
        question = expand(f"(Please|) (Name|List|Give me|Tell me|Say|Write) (three|3|any three|some) {kind}(|.)")
        items = LISTS[kind]
        return exchange(question, items[0].upper() + items[1:] + ".", "Three examples are enough.")
    if draw < 0.75:
        return exchange(
            expand("(List|Name|Write|What are) (the|all the) (days of the week|days|weekdays)(|.|?)"),
            ", ".join(DAYS) + ".",
            "Seven days.",
        )
    if draw < 0.9:
        return exchange(
            expand("(List|Name|Write|What are) (the|all the) months(| of the year)(|.|?)"),
            ", ".join(MONTHS) + ".",
            "Twelve months.",
        )
    return exchange(
        expand("(Say|Write|Recite) the alphabet(|.)"),
        "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z",
        "Twenty-six letters.",
    )

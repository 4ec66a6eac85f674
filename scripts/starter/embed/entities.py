"""Made-up people, cities and companies: a text of a few facts, and questions that ask for them."""

from variations import varied

SYLLABLES = """
ka lo mi ra ten vor bel dan sar quin ost hel mar tor ver lin gar mon wil har ber cas del fen gor hal jor ker lan nor
per ros stan tal und vic wes yar zen ald bro cla dre fro gri kle plo sti tre bra eck ing ova ski chen ito nak oku sen
wang li zha gupta sing mehr al
""".split()
FIRST_NAMES = """
James Mary Robert Linda John Anna Peter Maria Paul Clara Hugo Emma Luis Sofia Omar Leila Chen Yuki Ivan Olga Karl Greta
Marco Giulia Ahmed Fatima Raj Priya Tom Alice George Ruth Henry Jane Oscar Nina Felix Ada Victor Elena
""".split()
PROFESSIONS = """
physicist engineer painter composer writer chemist general architect biologist lawyer explorer mathematician singer
politician economist historian poet inventor photographer chef
""".split()
FIELDS = (
    "steam engines/bridges/solar power/vaccines/poetry/opera/railways/plant biology/tax law/astronomy/textiles/"
    "shipbuilding/immune cells/geology/oxygen chemistry/computer networks/urban planning/education reform/film music/"
    "deep sea fish/glaciers/coal mining/prime numbers/public health/democracy"
).split("/")
PRODUCTS = (
    "cars/ships/steel/beer/wine/software/phones/furniture/clothing/cheese/paper/glass/tools/batteries/toys/medicines/"
    "aircraft/bicycles/watches/television programmes"
).split("/")
MONTHS = "January February March April May June July August September October November December".split()
PLACE_ENDINGS = [
    "ville", "burg", "ton", "ford", "stad", " City", "mouth", "dorf", "land", " Bay", " Valley", "ia", "grad", "pur",
    "",
]  # fmt: skip
COMPANY_ENDINGS = [" Works", " Group", "", " Industries", " Brothers", " Systems"]
SCHOOLS = ["University", "Academy", "College", "School"]

# kind: (statement, questions that it answers); {s} is the subject, by name or pronoun
TEMPLATES = {
    "person": [
        (
            "{n} was born in {city} on {mon} {day}, {y}.",
            [
                "Where was {n} born?",
                "When was {n} born?",
                "birthplace of {n}",
                "What is the date of birth of {n}?",
                "In which city did {n} come into the world?",
            ],
        ),
        (
            "{s} worked as a {prof} and was known for studies of {field}.",
            [
                "What was the profession of {n}?",
                "What was {n} known for?",
                "What subject did {n} study?",
                "{prof} who worked on {field}",
                "Which field was {n} famous for?",
            ],
        ),
        (
            "In {y2} {s} moved to {city2} to teach at {org}.",
            [
                "Where did {n} move in {y2}?",
                "At which institution did {n} teach?",
                "When did {n} go to {city2}?",
                "{n} {city2} teaching",
            ],
        ),
        (
            "{s} won the {nm} Prize in {y3} for the work on {field}.",
            [
                "Which prize did {n} win?",
                "When did {n} receive the {nm} Prize?",
                "What award was given to {n}?",
                "Why did {n} get the {nm} award?",
            ],
        ),
        (
            "{s} married {n2} and had {k} children.",
            [
                "Who was the spouse of {n}?",
                "How many children did {n} have?",
                "Who was the wife or husband of {n}?",
                "Who did {n} marry?",
            ],
        ),
        (
            "{s} died in {city3} at the age of {age}.",
            [
                "Where did {n} die?",
                "How old was {n} at death?",
                "place of death of {n}",
                "At what age did {n} pass away?",
            ],
        ),
        (
            "{s} published {k2} books, the best known of which is The {nm2} of {city}.",
            ["What is the best known book of {n}?", "How many books did {n} write?", "Which book did {n} author?"],
        ),
    ],
    "city": [
        (
            "{n} is a city in the {dir} of {land}, on the river {nm}.",
            [
                "Where is {n} located?",
                "On which river does {n} lie?",
                "Which country is {n} in?",
                "In what part of {land} is {n} situated?",
            ],
        ),
        (
            "The city was founded in {y} by {n2}.",
            ["When was {n} founded?", "Who founded {n}?", "Who established the town of {n}?", "founder of {n}"],
        ),
        (
            "It has a population of {pop} and covers {area} square kilometres.",
            [
                "What is the population of {n}?",
                "How many people live in {n}?",
                "How large is the area of {n}?",
                "number of inhabitants of {n}",
            ],
        ),
        (
            "The local economy depends on {prod} and {prod2}.",
            ["What does the economy of {n} depend on?", "What goods are made in {n}?", "main industry of {n}"],
        ),
        (
            "During the war of {y2} the town was destroyed by the army of {n3}.",
            ["When was {n} destroyed?", "Whose army destroyed {n}?", "What happened to {n} in {y2}?"],
        ),
        (
            "The mayor, {n4}, was elected in {y3}.",
            ["Who is the mayor of {n}?", "When was the mayor of {n} elected?", "Who leads the city of {n}?"],
        ),
        (
            "The {nm2} Museum, opened in {y3}, holds a collection about {field}.",
            [
                "What is the museum in {n} called?",
                "When did the {nm2} Museum open?",
                "What does the collection in {n} deal with?",
            ],
        ),
    ],
    "company": [
        (
            "{n} is a company that makes {prod}, with headquarters in {city}.",
            [
                "What does {n} make?",
                "Where are the headquarters of {n}?",
                "Where is {n} based?",
                "What products does {n} manufacture?",
            ],
        ),
        (
            "It was established in {y} by {n2} and {n3}.",
            ["Who founded {n}?", "When was {n} established?", "Who set up the firm {n}?", "founders of {n}"],
        ),
        (
            "The firm employs {pop} people in {k} countries.",
            ["How many people work for {n}?", "In how many countries is {n} active?", "number of employees of {n}"],
        ),
        (
            "In {y2} it bought its rival {nm} for {k2} million dollars.",
            [
                "Which company did {n} buy?",
                "How much did {n} pay for {nm}?",
                "When did {n} acquire {nm}?",
                "What was the price of the {nm} purchase?",
            ],
        ),
        (
            "Its chief executive is {n4}, who took over in {y3}.",
            ["Who is the chief executive of {n}?", "Who runs {n}?", "When did {n4} take over {n}?", "CEO of {n}"],
        ),
        (
            "Sales fell by {k} percent in {y3} because of the price of {prod2}.",
            [
                "Why did the sales of {n} fall?",
                "By how much did sales of {n} drop?",
                "What caused the decline of {n} sales?",
            ],
        ),
    ],
}


def made_up_word(rng, shortest=2, longest=3):
    return "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(shortest, longest))).capitalize()


def place(rng):
    return made_up_word(rng, 1, 2) + rng.choice(PLACE_ENDINGS)


def person(rng):
    return rng.choice(FIRST_NAMES) + " " + made_up_word(rng)


def name_of(kind, rng):
    if kind == "person":
        return person(rng)
    if kind == "city":
        return place(rng)
    return made_up_word(rng) + rng.choice(COMPANY_ENDINGS)


def random_values(kind, rng):
    """What the placeholders of the templates stand for; the order of the lines is the order of the draws."""
    year = rng.randint(1100, 1960)
    return dict(
        n=name_of(kind, rng),
        n2=person(rng),
        n3=person(rng),
        n4=person(rng),
        city=place(rng),
        city2=place(rng),
        city3=place(rng),
        land=place(rng),
        nm=made_up_word(rng),
        nm2=made_up_word(rng),
        org="the " + rng.choice(SCHOOLS) + " of " + place(rng),
        mon=rng.choice(MONTHS),
        day=rng.randint(1, 28),
        y=year,
        y2=year + rng.randint(18, 30),
        y3=year + rng.randint(31, 60),
        prof=rng.choice(PROFESSIONS),
        field=rng.choice(FIELDS),
        prod=rng.choice(PRODUCTS),
        prod2=rng.choice(PRODUCTS),
        k=rng.randint(2, 40),
        k2=rng.randint(2, 90),
        age=rng.randint(40, 95),
        pop=f"{rng.randint(1, 900)},{rng.randint(0, 999):03d}",
        area=rng.randint(10, 900),
        dir=rng.choice(["north", "south", "east", "west", "centre"]),
    )


def entity(rng):
    """(text of three to six facts, a list of questions for each of the facts)"""
    kind = rng.choice(list(TEMPLATES))
    values = random_values(kind, rng)
    introduction, others = TEMPLATES[kind][:1], TEMPLATES[kind][1:]
    facts = introduction + rng.sample(others, rng.randint(2, min(5, len(others))))
    pronoun = rng.choice(["He", "She"]) if kind == "person" else values["n"]
    sentences, questions = [], []
    for statement, asked in facts:
        subject = values["n"] if rng.random() < 0.3 else pronoun
        statement = statement.replace("{s}", subject).format(**values)
        sentences.append(varied(statement, rng, 0.05, 0, 0))
        questions.append([question.format(**values) for question in asked])
    return " ".join(sentences), questions

"""Tools for the training data: random ones and everyday ones.

Each maker returns (name, definition, use); use() gives a request and the arguments it asks for.
Random tools carry most of the weight: their names, parameters and values vary without end, so that
the model has to read the definition rather than know it.
"""

from values import (
    chance,
    city,
    clock,
    code,
    colour,
    date,
    email,
    file_name,
    letters,
    made_up,
    name,
    number,
    pick,
    rng,
    settings,
    words,
    word,
)
from words import DAYS, HELD_OUT_TOOL_OBJECTS, TOOL_OBJECTS, TOOL_VERBS

# Parameter: JSON type, description, how a value is drawn.
PARAMETERS = {
    "city": ("string", "City name", city),
    "location": ("string", "Place", city),
    "name": ("string", "Name", name),
    "user": ("string", "User name", name),
    "email": ("string", "Email address", email),
    "date": ("string", "Date", date),
    "time": ("string", "Time", clock),
    "day": ("string", "Day", lambda: pick(*DAYS)),
    "id": ("integer", "Identifier", number),
    "count": ("integer", "How many", lambda: number(99)),
    "amount": ("number", "Amount", lambda: number(999)),
    "level": ("integer", "Level", lambda: number(99)),
    "minutes": ("integer", "Minutes", lambda: number(99)),
    "color": ("string", "Colour", colour),
    "title": ("string", "Title", word),
    "code": ("string", "Code", code),
    "query": ("string", "Search text", lambda: " ".join(words(1, 3))),
    "text": ("string", "Text", lambda: " ".join(words(1, 4))),
    "file": ("string", "File name", file_name),
    "enabled": ("boolean", "On or off", lambda: chance(0.5)),
    "tags": ("array", "Tags", lambda: words(1, 3)),
    "place": ("string", "Place", city),
    "country": ("string", "Country", city),
    "person": ("string", "Person", name),
    "price": ("number", "Price", lambda: number(999)),
    "limit": ("integer", "Limit", lambda: number(99)),
}


def parameter():
    """(key, type, description, draw): a usual parameter or a made-up one."""
    if chance(0.7):
        key = pick(*PARAMETERS)
        return (key, *PARAMETERS[key])
    stem = pick(*TOOL_OBJECTS) if chance(0.6) and not settings.held_out else made_up(2)
    kind = pick("id", "name", "count", "plain", "plain", "code")
    if kind == "id":
        return f"{stem}_id", "integer", f"The {stem}", number
    if kind == "name":
        return f"{stem}_name", "string", f"Name of the {stem}", pick(name, word)
    if kind == "count":
        return f"{pick('max', 'min', 'num')}_{stem}", "integer", f"Number of {stem}", lambda: number(99)
    if kind == "code":
        return stem, "string", f"The {stem}", code
    return stem, "string", f"The {stem}", pick(word, city, name, made_up)


def schema(parameters, described=False):
    properties = {}
    for key, kind, description, _ in parameters:
        properties[key] = {"type": kind}
        if kind == "array":
            properties[key]["items"] = {"type": "string"}
        if described:
            properties[key]["description"] = description
    result = {"type": "object", "properties": properties, "required": [key for key, *_ in parameters]}
    if chance(0.08):
        result["additionalProperties"] = False
    return result


def definition(tool_name, description, parameters):
    function = {"name": tool_name}
    if description:
        function["description"] = description
    function["parameters"] = parameters
    return {"type": "function", "function": function}


def spoken(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return " and ".join(value) if isinstance(value, list) else str(value)


def tool_object():
    if settings.held_out:
        return pick(*HELD_OUT_TOOL_OBJECTS) if chance(0.6) else made_up()
    return pick(*TOOL_OBJECTS) if chance(0.65) else word() if chance(0.4) else made_up()


def random_tool():
    verb = pick(*TOOL_VERBS) if chance(0.8) else made_up()
    thing = tool_object()
    tool_name = pick(
        f"{verb}_{thing}",
        f"{verb}_{thing}",
        f"{verb}_{thing}",
        f"{thing}_{verb}",
        verb + thing.capitalize(),
        f"{verb}-{thing}",
        f"{verb}_the_{thing}",
        f"{thing}s_{verb}",
    )
    parameters = []
    while len(parameters) < pick(0, 1, 1, 1, 2, 2, 3) and len(parameters) < 3:
        extra = parameter()
        if extra[0] not in [key for key, *_ in parameters]:
            parameters.append(extra)
    described = pick(
        f"{verb.capitalize()} the {thing}",
        f"{verb.capitalize()} a {thing}",
        f"{verb.capitalize()} {thing}",
        f"{verb.capitalize()} {thing} by {parameters[0][0] if parameters else 'name'}",
        f"{verb.capitalize()}s the {thing}",
        "",
    )
    shape = definition(tool_name, described, schema(parameters, chance(0.4)))

    def use():
        arguments = {key: draw() for key, _, _, draw in parameters}
        request = pick(
            f"{verb.capitalize()} the {thing}",
            f"{verb.capitalize()} the {thing}",
            f"Please {verb} the {thing}",
            f"Can you {verb} the {thing}",
            f"Could you {verb} a {thing}",
            f"{verb} {thing}",
            f"I want to {verb} the {thing}",
            f"I need to {verb} a {thing}",
            f"Use {tool_name}",
            f"Call {tool_name}",
        )
        if not arguments:
            return request + pick("", ".", " please"), arguments
        if len(arguments) == 1 and chance(0.55):
            value = spoken(*arguments.values())
            return (
                request
                + pick(" for ", " of ", " in ", " ", " called ", ": ", " from ", " at ", " with ", " named ")
                + value
                + pick("", "", "."),
                arguments,
            )
        joint = pick(" ", " ", " ", " is ", ": ", " = ")
        said = [
            (key.replace("_", " ") if chance(0.4) else key) + joint + spoken(value)
            for key, value in arguments.items()
        ]
        if chance(0.2):
            rng.shuffle(said)
        listed = pick(", ", " and ", ", ").join(said)
        return (
            request
            + pick(" with ", " with ", ": ", ", ", " for ", " where ", " using ")
            + listed
            + pick("", "", "."),
            arguments,
        )

    return tool_name, shape, use


def plain(tool_name, description, requests, **kinds_and_draws):
    """An everyday tool: requests hold {key} for each parameter."""
    parameters = [
        (key, kind, PARAMETERS.get(key, (0, key.capitalize()))[1], draw)
        for key, (kind, draw) in kinds_and_draws.items()
    ]
    shape = definition(tool_name, description if chance(0.9) else "", schema(parameters, chance(0.4)))

    def use():
        arguments = {key: draw() for key, _, _, draw in parameters}
        text = pick(*requests)
        for key, value in arguments.items():
            text = text.replace("{%s}" % key, spoken(value))
        if chance(0.1):
            text = text[0].lower() + text[1:]
        return text, arguments

    return tool_name, shape, use


def weather():
    key = pick("city", "location", "place", "town")
    requests = [
        "What is the weather in {}?",
        "How is the weather in {}?",
        "Weather in {}",
        "Is it raining in {}?",
        "What's the weather like in {} today?",
        "How warm is it in {}?",
        "Tell me the weather in {}.",
        "What's the weather in {}?",
        "What is the temperature in {}?",
        "Do I need an umbrella in {}?",
    ]
    tool = plain(
        pick("get_weather", "weather", "get_current_weather", "current_weather", "fetch_weather"),
        pick("Get the current weather", "Get the weather for a city", "Current weather", "Get weather of a location"),
        [request.replace("{}", "{%s}" % key) for request in requests],
        **{key: ("string", city)},
    )
    if chance(0.25):
        tool[1]["function"]["parameters"]["properties"]["unit"] = {
            "type": "string",
            "enum": ["celsius", "fahrenheit"],
        }
    return tool


def calculator():
    return plain(
        pick("calculator", "calculate", "compute", "evaluate"),
        pick("Evaluate an expression", "Do a calculation"),
        ["What is {expression}?", "Calculate {expression}", "Compute {expression}", "How much is {expression}?"],
        expression=("string", lambda: f"{number()} {pick(*'+-*/')} {number()}"),
    )


def time_in():
    key = pick("city", "location", "timezone", "place")
    return plain(
        pick("get_time", "current_time", "get_current_time"),
        "Get the current time",
        [
            text.replace("{}", "{%s}" % key)
            for text in (
                "What time is it in {}?",
                "Tell me the time in {}",
                "Current time in {}?",
                "What's the time in {}?",
            )
        ],
        **{key: ("string", city)},
    )


def search():
    key = pick("query", "query", "q", "text")
    return plain(
        pick("web_search", "search_web", "search", "google"),
        pick("Search the web", "Search the internet"),
        [
            text.replace("{}", "{%s}" % key)
            for text in (
                "Search for {}",
                "Search the web for {}",
                "Look up {}",
                "Find pages about {}",
                "Find information about {}",
            )
        ],
        **{key: ("string", lambda: " ".join(words(1, 4)))},
    )


def mail():
    body = pick("body", "text", "message")
    return plain(
        pick("send_email", "email", "send_mail", "send_message"),
        pick("Send an email", "Send a message"),
        [
            text.replace("[]", "{%s}" % body)
            for text in (
                "Send an email to {to} saying []",
                "Email {to}: []",
                "Write to {to} with the text []",
                "Send {to} the message []",
            )
        ],
        to=("string", pick(email, name)),
        **{body: ("string", lambda: " ".join(words(1, 6)))},
    )


def currency():
    unit = lambda: pick(*"USD EUR GBP JPY CHF SEK NOK PLN".split())
    return plain(
        pick("convert_currency", "exchange", "convert"),
        "Convert money",
        [
            "Convert {amount} {from} to {to}",
            "How much is {amount} {from} in {to}?",
            "Change {amount} {from} into {to}",
        ],
        amount=("number", lambda: number(999)),
        **{"from": ("string", unit), "to": ("string", unit)},
    )


def timer():
    return plain(
        pick("set_timer", "start_timer"),
        "Set a timer",
        ["Set a timer for {minutes} minutes", "Timer for {minutes} minutes", "Wake me in {minutes} minutes"],
        minutes=("integer", lambda: number(99)),
    )


def addition():
    one, two = pick(("a", "b"), ("x", "y"), ("first", "second"))
    kind = pick("number", "integer")
    texts = [
        text.replace("<1>", "{%s}" % one).replace("<2>", "{%s}" % two)
        for text in ("What is <1> + <2>?", "Add <1> and <2>", "What is <1> plus <2>?", "Sum <1> and <2>")
    ]
    return plain(
        pick("add", "add_numbers", "sum"), "Add two numbers", texts, **{one: (kind, number), two: (kind, number)}
    )


def stock():
    key = pick("symbol", "ticker")
    return plain(
        pick("get_stock_price", "stock_price", "get_price"),
        "Get the price of a stock",
        [
            text.replace("{}", "{%s}" % key)
            for text in ("What is the price of {}?", "Stock price of {}", "How much is {} now?")
        ],
        **{key: ("string", lambda: letters(3, 4).upper())},
    )


def read_file():
    key = pick("path", "file", "filename")
    return plain(
        pick("read_file", "open_file", "cat", "get_file"),
        "Read a file",
        [
            text.replace("{}", "{%s}" % key)
            for text in ("Read the file {}", "Open {}", "What is in {}?", "Show me {}", "Read {}")
        ],
        **{key: ("string", file_name)},
    )


def no_arguments():
    tool_name = pick("list_models", "get_models", "list_files", "get_status", "ping_server", "list_users", "get_date")
    said = tool_name.replace("_", " ")
    return plain(
        tool_name,
        said.capitalize(),
        [f"Please {said}", f"Can you {said}?", f"{said.capitalize()} please", said.capitalize()],
    )


def event():
    when = pick("date", "day")
    return plain(
        pick("create_event", "add_event", "book_meeting"),
        "Create a calendar event",
        [
            text.replace("[]", "{%s}" % when)
            for text in ("Create an event {title} on []", "Book {title} on []", "Add {title} to my calendar on []")
        ],
        title=("string", word),
        **{when: ("string", date if when == "date" else lambda: pick(*DAYS))},
    )


def travel():
    one, two = pick(("origin", "destination"), ("from", "to"), ("start", "end"), ("source", "target"))
    return plain(
        pick("find_route", "book_flight", "search_flights", "get_distance", "find_train", "book_ticket"),
        pick("Find a route", "Find a trip between two cities", "Travel"),
        [
            text.replace("<1>", "{%s}" % one).replace("<2>", "{%s}" % two)
            for text in (
                "How do I get from <1> to <2>?",
                "Find a trip from <1> to <2>",
                "I want to go from <1> to <2>",
                "Book a flight from <1> to <2>",
                "How far is it from <1> to <2>?",
            )
        ],
        **{one: ("string", city), two: ("string", city)},
    )


def translate():
    language = pick("language", "target", "to")
    return plain(
        pick("translate", "translate_text"),
        "Translate a text",
        [
            text.replace("[]", "{%s}" % language)
            for text in ("Translate {text} to []", "How do you say {text} in []?", "Translate '{text}' into []")
        ],
        text=("string", lambda: " ".join(words(1, 4))),
        **{language: ("string", lambda: pick(*"French German Spanish Italian Dutch Polish Greek".split()))},
    )


def lookup_person():
    key = pick("name", "person", "user", "username")
    return plain(
        pick("find_user", "get_user", "lookup_contact", "get_phone_number", "find_person"),
        pick("Find a user", "Look up a person"),
        [
            text.replace("{}", "{%s}" % key)
            for text in (
                "Who is {}?",
                "Find {}",
                "Look up {}",
                "What is the phone number of {}?",
                "Show the profile of {}",
            )
        ],
        **{key: ("string", name)},
    )


EVERYDAY = (
    weather,
    weather,
    calculator,
    time_in,
    search,
    mail,
    currency,
    timer,
    addition,
    stock,
    read_file,
    no_arguments,
    event,
    travel,
    translate,
    lookup_person,
)


def some_tools(count):
    """`count` tools with different names and purposes."""
    tools, seen = [], set()
    while len(tools) < count:
        tool = random_tool() if settings.held_out or chance(0.6) else pick(*EVERYDAY)()
        marks = {tool[0], tool[1]["function"].get("description", tool[0]).lower()}
        if not marks & seen:
            tools.append(tool)
            seen |= marks
    return tools

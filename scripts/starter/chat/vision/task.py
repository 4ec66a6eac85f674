"""Conversations about pictures, as fragments of turns like those of every other task.

The place of a picture in a message is PICTURE; `pictures` of the fragment lists the scenes in order.
`as_captions` puts the captions there, so that the language model can learn without a vision model.
"""

from turns import answer, tool_result, user
from values import chance, pick, rng
from vision.captions import caption
from vision.questions import SPLIT, questions
from vision.scenes import scene

PICTURE = "\x1e"
# What stands where is harder for the language model to learn than to copy a text.
ASKED_ABOUT = {"shapes": 48, "chart": 20, "text": 24, "empty": 2, "photo": 4, "page": 2}


def a_scene():
    return scene(rng.choices(list(ASKED_ABOUT), ASKED_ABOUT.values())[0])


def with_picture(question, mark=PICTURE):
    """The picture comes first or last; between it and the question there may be a line break."""
    between = pick("", "", "\n")
    return mark + between + question if chance(0.6) else question + between + mark


def some_questions(shown):
    asked = questions(shown)
    return rng.sample(asked, min(len(asked), pick(1, 2, 3, 4)))


def exchanges(asked):
    turns = []
    for _, question, reply in asked:
        turns += [user(question), answer(reply, "I look at the picture.")]
    return turns


def one_picture():
    shown = a_scene()
    turns = exchanges(some_questions(shown))
    turns[0]["content"] = with_picture(turns[0]["content"])
    return dict(turns=turns, pictures=[shown])


def two_pictures():
    """Two in one message, asked about by their order."""
    shown = [a_scene(), a_scene()]
    turns = []
    for _ in range(pick(1, 2, 3)):
        which = rng.randrange(2)
        kind, question, reply = rng.choice(questions(shown[which]))
        name = ("first", "second")[which]
        turns += [
            user(f"{pick('In the', 'About the')} {name} picture: {question}"),
            answer(reply, f"The {name} picture."),
        ]
    turns[0]["content"] = with_picture(turns[0]["content"], PICTURE + pick("", "", "\n") + PICTURE)
    return dict(turns=turns, pictures=shown)


def one_after_another():
    """The last picture is what a question means."""
    one, other = one_picture(), one_picture()
    return dict(turns=one["turns"] + other["turns"], pictures=one["pictures"] + other["pictures"])


def from_tool():
    """A tool answers with a picture."""
    shown = a_scene()
    asked = some_questions(shown)
    name = pick("screenshot", "get_image", "take_photo", "open_file", "camera", "render_chart", "read_image")
    call = [{"name": name, "arguments": {}}]
    turns = [
        user(asked[0][1]),
        answer("", "I need the picture.", call),
        tool_result(PICTURE + pick("", "\n", "done")),
    ]
    turns.append(answer(asked[0][2], "I look at the picture."))
    description = pick("Take a picture", "Show the screen", "Open an image", "Return an image")
    schema = {"type": "object", "properties": {}}
    tool = {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}
    return dict(turns=turns + exchanges(asked[1:]), pictures=[shown], tools=[tool])


def no_aside():
    return []


def picture_conversation(aside=no_aside):
    """`aside` gives turns about something else; at times they come between a picture and a question about it."""
    fragment = rng.choices((one_picture, two_pictures, one_after_another, from_tool), (80, 7, 7, 6))[0]()
    if chance(0.3):
        # A turn of the user is a place to begin something else, before the first one too.
        starts = [index for index, turn in enumerate(fragment["turns"]) if turn["role"] == "user"]
        at = rng.choice([*starts, len(fragment["turns"])])
        fragment["turns"][at:at] = aside()
    return fragment


def as_captions(fragment):
    """The same conversation with the pictures' captions in their places."""
    captions = iter([SPLIT + SPLIT.join(caption(shown)) + SPLIT for shown in fragment.pop("pictures")])
    for turn in fragment["turns"]:
        while PICTURE in turn["content"]:
            turn["content"] = turn["content"].replace(PICTURE, next(captions), 1)
    return fragment


def picture(aside=no_aside):
    return as_captions(picture_conversation(aside))

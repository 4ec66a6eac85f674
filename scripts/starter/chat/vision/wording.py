"""Patterns of questions about pictures, one a line, for values.expand(); a word comes where %s stands."""

IMAGE = "(picture|picture|image|photo)"
HUE = "(colour|colour|color)"

DESCRIBE = f"""
(What is|What's) (in|on) (the|this) {IMAGE}?
(Describe|Please describe) (the|this) {IMAGE}(.|)
(What do you see|What can you see)( here| in the {IMAGE}| in this {IMAGE}|)?
What is this?
What does (the|this) {IMAGE} show?
(Tell me|Say) what you see(.|)
(what is|whats) (in|on) (the|this|my) {IMAGE}(?|)
"""
BACKGROUND = f"""
(What|Which) {HUE} is the background?
What is the (background {HUE}|{HUE} of the background|background)?
(what|which) {HUE} is the background(?|)
"""
COUNT_ALL = f"""
How many (shapes|objects|things|figures) (are there|are in the {IMAGE}|do you see|can you see)?
How many (shapes|objects|things)?
Count the (shapes|objects|things)(.|)
"""
COUNT = f"""
How many %s (are there|are in the {IMAGE}|do you see|can you see)?
How many %s?
Count the %s(.|)
"""
COLOUR = f"""
(What|Which) {HUE} is the %s?
What is the {HUE} of the %s?
(what|which) {HUE} is the %s(?|)
"""
IS_COLOUR = """
Is the %s %s?
is the %s %s(?|)
"""
COLOUR_OF_IT = f"(What|Which) {HUE} (is it|is this|does it have)?"
COLOUR_OF_THEM = f"(What|Which) {HUE} (are they|are the %s|do they have)?"
SHAPE_OF_IT = f"(Which|What) shape (is it|is this|is in the {IMAGE}|do you see)?"
SHAPE_OF_COLOUR = """
(Which|What) shape is %s?
What is %s?
Which (object|thing) is %s?
"""
POSITION = f"""
Where is the %s?
Where (in the {IMAGE} is|do you see) the %s?
(where is|wheres) the %s(?|)
"""
POSITION_OF_IT = "Where is it?"
AT_PLACE = f"""
What is (%s|%s of the {IMAGE})?
Which shape is %s?
What do you see %s?
"""
PRESENT = f"""
Is there (%s|%s in the {IMAGE})?
(Do|Can) you see %s?
"""
READ = f"""
(Read|Please read) (the text|the {IMAGE}|this|it)(.|)
What does (it|the text|the sign|the {IMAGE}) say?
What (is written|is printed|does it say) (here|in the {IMAGE}|on the {IMAGE})?
(What|Which) text is (in the {IMAGE}|shown|written here)?
what does (it|this) say(?|)
"""
READ_NUMBER = f"(Which|What) number is (this|it|shown|in the {IMAGE}|written here)?"
READ_WORD = f"(Which|What) word is (this|it|shown|in the {IMAGE}|written here)?"
INK = f"(What|Which) {HUE} (is the text|are the letters|is the writing)?"
HIGHEST = f"""
(Which|What) bar is (the |)(highest|tallest|largest|biggest)?
What {HUE} is the (highest|tallest|largest|biggest) bar?
"""
LOWEST = f"""
(Which|What) bar is (the |)(lowest|shortest|smallest)?
What {HUE} is the (lowest|shortest|smallest) bar?
"""
COUNT_BARS = """
How many bars (are there|are in the chart|does the chart have|do you see)?
How many bars?
Count the bars(.|)
"""
COMPARE = "Is the %s bar (higher|taller|larger|bigger) than the %s bar?"
COMPARE_TWO = "Which bar is (higher|taller|larger), (the %s|%s) or (the %s|%s)( one|)?"
FIRST_BAR = f"""
(Which|What) {HUE} is the (first|leftmost) bar?
What {HUE} is the bar on the left?
"""
LAST_BAR = f"""
(Which|What) {HUE} is the (last|rightmost) bar?
What {HUE} is the bar on the right?
"""
BEYOND = f"""
Who (made|drew|painted|took) (this|the) {IMAGE}?
(Where|When) was (this|the) {IMAGE} (taken|made)?
What is the (name|age) of the (person|author|artist)( in the {IMAGE}|)?
How (old|heavy|expensive|far away) is (it|this)?
What does (it|this) (cost|mean|smell like|feel like|taste like)?
Why (did|would) (someone|anybody|you) (draw|make|paint) this?
What (time|day|year) is it in the {IMAGE}?
What will happen next( in the {IMAGE}|)?
Which (city|country|company|brand|building) is (this|it)?
Who is (this|that|in the {IMAGE})?
What is the weather like( in the {IMAGE}|)?
Is (it|this) (art|valuable|funny|real|mine)?
"""
ABSENT = """
dog cat person car house tree man woman face bird flower bike boat train clock phone book table child
horse animal ball sun building road chair fish mountain bottle window
""".split()

"""Facts the model learns by heart: a closed set, written for this project.

Knowledge questions are only drawn from these tables. A tiny model cannot know more, and the rest of
the data teaches it to say so.
"""


def pairs(text):
    """`Peru:Lima New_Zealand:Wellington` -> a list of tuples, underscores standing for spaces."""
    return [tuple(item.replace("_", " ").split(":")) for item in text.split()]


def lines(text):
    """One `word:meaning:…` a line -> a list of tuples."""
    return [tuple(line.split(":")) for line in text.strip().split("\n")]


CAPITALS = pairs("""
France:Paris Germany:Berlin Spain:Madrid Italy:Rome Portugal:Lisbon Austria:Vienna Poland:Warsaw
Ireland:Dublin Greece:Athens Egypt:Cairo Japan:Tokyo India:New_Delhi Peru:Lima Ecuador:Quito
Norway:Oslo Sweden:Stockholm Finland:Helsinki Denmark:Copenhagen Iceland:Reykjavik
Netherlands:Amsterdam Belgium:Brussels Switzerland:Bern Hungary:Budapest Romania:Bucharest
Bulgaria:Sofia Serbia:Belgrade Croatia:Zagreb Slovenia:Ljubljana Slovakia:Bratislava
Czechia:Prague Estonia:Tallinn Latvia:Riga Lithuania:Vilnius Ukraine:Kyiv Russia:Moscow
Turkey:Ankara Iran:Tehran Iraq:Baghdad Jordan:Amman Lebanon:Beirut Syria:Damascus
Qatar:Doha Oman:Muscat Kuwait:Kuwait_City China:Beijing Mongolia:Ulaanbaatar Vietnam:Hanoi
Thailand:Bangkok Laos:Vientiane Cambodia:Phnom_Penh Malaysia:Kuala_Lumpur Indonesia:Jakarta
Philippines:Manila Nepal:Kathmandu Bhutan:Thimphu Pakistan:Islamabad Bangladesh:Dhaka
Australia:Canberra Canada:Ottawa Mexico:Mexico_City Cuba:Havana Jamaica:Kingston
Haiti:Port-au-Prince Panama:Panama_City Colombia:Bogota Venezuela:Caracas Brazil:Brasilia
Bolivia:Sucre Chile:Santiago Argentina:Buenos_Aires Uruguay:Montevideo Paraguay:Asuncion
Morocco:Rabat Algeria:Algiers Tunisia:Tunis Libya:Tripoli Sudan:Khartoum Ethiopia:Addis_Ababa
Kenya:Nairobi Uganda:Kampala Rwanda:Kigali Tanzania:Dodoma Angola:Luanda Zambia:Lusaka
Zimbabwe:Harare Namibia:Windhoek Ghana:Accra Nigeria:Abuja Senegal:Dakar Mali:Bamako
Malta:Valletta Cyprus:Nicosia Albania:Tirana Georgia:Tbilisi Armenia:Yerevan Fiji:Suva
Madagascar:Antananarivo Luxembourg:Luxembourg Somalia:Mogadishu New_Zealand:Wellington
South_Africa:Pretoria Saudi_Arabia:Riyadh South_Korea:Seoul the_United_States:Washington
the_United_Kingdom:London
""")

CURRENCIES = pairs("""
Japan:yen India:rupee China:yuan Russia:rouble Poland:zloty Sweden:krona Norway:krone
Denmark:krone Turkey:lira Mexico:peso Brazil:real Switzerland:franc Hungary:forint Thailand:baht
Vietnam:dong France:euro Germany:euro Italy:euro Canada:dollar Australia:dollar
Egypt:pound Kenya:shilling Nigeria:naira Ukraine:hryvnia Romania:leu Peru:sol Ghana:cedi
Malaysia:ringgit
""")

ELEMENTS = pairs("""
hydrogen:H helium:He lithium:Li carbon:C nitrogen:N oxygen:O fluorine:F neon:Ne sodium:Na
magnesium:Mg aluminium:Al silicon:Si phosphorus:P sulfur:S chlorine:Cl argon:Ar potassium:K
calcium:Ca iron:Fe cobalt:Co nickel:Ni copper:Cu zinc:Zn bromine:Br silver:Ag tin:Sn iodine:I
gold:Au mercury:Hg lead:Pb uranium:U platinum:Pt
""")

OPPOSITES = pairs("""
hot:cold big:small up:down left:right open:closed day:night black:white fast:slow hard:soft
happy:sad high:low in:out long:short new:old rich:poor early:late full:empty wet:dry light:dark
strong:weak thick:thin true:false win:lose begin:end buy:sell come:go give:take love:hate
push:pull remember:forget above:below near:far clean:dirty cheap:expensive quiet:loud
""")

YOUNG_ANIMALS = pairs("""
dog:puppy cat:kitten cow:calf horse:foal sheep:lamb pig:piglet goat:kid hen:chick duck:duckling
goose:gosling lion:cub bear:cub deer:fawn kangaroo:joey frog:tadpole swan:cygnet
""")

AUTHORS = pairs("""
Hamlet:William_Shakespeare Don_Quixote:Miguel_de_Cervantes War_and_Peace:Leo_Tolstoy
Faust:Johann_Wolfgang_von_Goethe Moby-Dick:Herman_Melville Emma:Jane_Austen Dracula:Bram_Stoker
Frankenstein:Mary_Shelley Les_Miserables:Victor_Hugo The_Odyssey:Homer The_Trial:Franz_Kafka
Oliver_Twist:Charles_Dickens
""")

OTHER_FACTS = [
    ("How many days are in a week?", "There are 7 days in a week."),
    ("How many months are in a year?", "There are 12 months in a year."),
    ("How many hours are in a day?", "There are 24 hours in a day."),
    ("How many minutes are in an hour?", "There are 60 minutes in an hour."),
    ("How many legs does a spider have?", "A spider has 8 legs."),
    ("How many legs does an ant have?", "An ant has 6 legs."),
    ("What is the largest planet?", "The largest planet is Jupiter."),
    ("What is the smallest planet?", "The smallest planet is Mercury."),
    ("Which planet is closest to the sun?", "Mercury is closest to the sun."),
    ("Which planet is known as the red planet?", "Mars is known as the red planet."),
    ("What is the longest river?", "The Nile is usually named as the longest river."),
    ("What is the highest mountain?", "The highest mountain is Mount Everest."),
    ("What is the largest ocean?", "The largest ocean is the Pacific Ocean."),
    ("How many continents are there?", "There are 7 continents."),
    ("What is the chemical formula of water?", "Water is H2O."),
    ("At what temperature does water boil?", "Water boils at 100 degrees Celsius at sea level."),
    ("At what temperature does water freeze?", "Water freezes at 0 degrees Celsius."),
    ("What is the speed of light?", "Light travels at about 300,000 kilometres per second."),
    ("What do bees make?", "Bees make honey."),
    ("What is the colour of the sky?", "The sky is blue on a clear day."),
    ("What is the colour of grass?", "Grass is green."),
    ("What is the square root of 81?", "The square root of 81 is 9."),
]

DEFINITIONS = lines("""
tokenizer:a program that cuts text into small pieces called tokens
token:a small piece of text that a model reads or writes
prompt:the text you give to a model
embedding:a list of numbers that stands for the meaning of a text
model:a file of numbers that turns an input into an output
quantization:storing the numbers of a model with fewer bits
inference:running a trained model to get an answer
context:the text a model can look at while it answers
temperature:a setting that makes answers more or less random
server:a computer program that answers requests from other programs
database:an organised store of data
algorithm:a list of steps that solves a problem
variable:a named place that holds a value
function:a named piece of code that can be called
loop:a piece of code that repeats
byte:a group of eight bits
bit:a single zero or one
cache:a store of recent results that makes things faster
key:a secret text that proves who you are
balance:the amount of credit that is left on an account
volcano:a mountain that can throw out hot melted rock
island:a piece of land with water all around it
desert:a very dry place with little rain
glacier:a slow river of ice
orbit:the path of one body around another in space
gravity:the force that pulls things towards each other
photosynthesis:how plants use light to make food
evaporation:a liquid turning into a gas
democracy:a government chosen by the people
economy:how a country makes and uses money and goods
poem:a short text with rhythm and often rhyme
novel:a long made-up story in a book
noun:a word for a person, place or thing
verb:a word for doing or being
adjective:a word that describes a noun
triangle:a shape with three sides
circle:a round shape whose edge is always equally far from the centre
square:a shape with four equal sides and four right angles
prime number:a number above one that is divided only by one and itself
average:the sum of some values divided by how many there are
thermometer:a tool that measures temperature
telescope:a tool for looking at things far away
microscope:a tool for looking at very small things
compass:a tool that shows where north is
library:a place where you can borrow books
harbor:a safe place for ships near land
recipe:a list of steps for making a dish
vaccine:a medicine that teaches the body to fight a disease
fossil:the remains of an old plant or animal in stone
climate:the usual weather of a place over many years
TCP:a network protocol that delivers data in order and without loss
HTTP:the protocol that web browsers and servers use to talk
DNS:the system that turns names of websites into addresses
CPU:the chip that runs the programs of a computer
GPU:a chip that does many calculations at the same time
RAM:the fast memory a computer works in
API:a way for programs to talk to each other
JSON:a text format for data with keys and values
GGUF:a file format that holds a model and its tokenizer
URL:the address of a page or service on the web
Linux:a free operating system that runs on many computers
Python:a popular programming language
internet:a network that joins computers all over the world
machine learning:programs that learn from examples
neural network:a model made of many simple connected units
open source:software whose code everyone may read and change
""")

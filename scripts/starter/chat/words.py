"""Word lists for the conversation generator, written for this project.

The HELD_OUT lists are never drawn while training: evaluate.py uses them, so that a right answer
cannot come from having seen the word.
"""

NAMES = """
Alice Bob Carla Dmitri Elena Farid Greta Hugo Ines Jonas Karin Leo Mara Nils Olga Pablo Quinn Rosa
Samir Tessa Umar Vera Wim Xenia Yusuf Zoe Anton Bella Cyrus Dora Emil Fiona Gavin Hana Igor Julia
Kofi Lena Marco Nadia Oscar Petra Rafael Sonja Theo Ursula Victor Wanda Yara Zeno Amira Boris
Clara David Erik Freya George Helen Ivan Jana Kurt Lucia Mina Noah Otto Priya Ralf Sofia Tomas
Ulrich Viola Walter Ada Ben Cleo Dan Eva Frank Gina Henk Iris Jack Kim Lars Maya Nora Omar Pia
Rita Sven Tara Ugo Val Aaron Abdul Agnes Aisha Akira Albert Alma Amelie Andre Angela Anja Arthur
Astrid Ayse Bart Beatrix Bernard Bianca Bram Camille Carlos Cecilia Chen Chloe Claire Colin Daan
Daniel Daria Diego Eduardo Elias Ella Emma Enzo Erin Esther Fatima Felix Florian Gabriel Gemma
Gerard Hanna Harry Hector Ibrahim Ilse Isaac Jasper Jin Joana Johan Jules Kamal Katja Khalid Laila
Laura Leon Linda Louis Luca Magda Malik Margot Maria Martin Matteo Max Mehmet Mia Milan Miriam
Mohammed Naomi Nico Nina Oliver Patrick Paula Peter Philip Rachel Ravi Robin Roman Ruth Sam Sandra
Sara Sebastian Simon Stella Steven Susan Thomas Valeria Vincent Yasmin Youssef
""".split()

HELD_OUT_NAMES = """
Marlon Odette Ruben Sigrid Tobias Viktor Willa Yvonne Zelda Casper Dagmar Edgar Philippa Quentin
Rosalind Thaddeus Imogen Lorenzo Beatrice Cornelius
""".split()

CITIES = """
Oslo Paris Berlin Madrid Rome Lisbon Vienna Prague Warsaw Dublin Athens Cairo Tokyo Delhi Lima
Quito Boston Denver Seattle Toronto Sydney Perth Nairobi Accra Lagos Milan Turin Lyon Nice Ghent
Bruges Delft Utrecht Leiden Basel Geneva Zurich Munich Hamburg Bremen Leeds York Bath Cork Porto
Seville Malaga Krakow Riga Vilnius Tallinn Helsinki Bergen Malmo Aarhus Amsterdam Brussels London
Dover Rotterdam Stockholm Chicago Houston Dallas Miami Austin Portland Montreal Vancouver
Melbourne Brisbane Auckland Mumbai Bangkok Hanoi Seoul Osaka Kyoto Beijing Istanbul Ankara Tunis
Rabat Dakar Kampala Santiago Bogota Caracas Brasilia Havana Naples Venice Florence Palermo Cologne
Stuttgart Salzburg Graz Split Zagreb Sofia Odessa Gdansk Lodz Brno Bordeaux Nantes Lille Oxford
Bristol Liverpool Belfast Galway
""".split()

HELD_OUT_CITIES = """
Valencia Bilbao Dresden Leipzig Haarlem Antwerp Glasgow Cardiff Toulouse Granada Innsbruck
Plymouth Trieste Linz
""".split()

NOUNS = """
apple bread chair table lamp river stone cloud garden window bottle pencil paper basket candle
mirror ladder hammer wagon bridge castle forest island meadow valley market kitchen bakery library
station harbor village tower tunnel engine rocket planet comet shadow winter summer autumn spring
morning evening button pocket jacket ribbon blanket pillow carpet curtain cabinet drawer spoon
fork knife plate kettle oven fridge cheese butter honey sugar pepper salt onion carrot potato
tomato lemon orange cherry grape melon peach plum pear rabbit horse donkey sheep goat tiger lion
monkey parrot eagle falcon pigeon turtle lizard spider beetle ant bee wasp flower tulip rose daisy
oak maple pine cedar book letter map ticket coin ring crown drum flute piano guitar violin ball
kite boat ship train plane truck bicycle account address airport answer arm artist baby bag bank
bath beach bear bed bell bird body bone boot box brain brick brush bus cake camera camp card cart
cat cave chain child circle class clock cloth coach coat coffee computer corner cotton country
crowd cup desk dish doctor dog door dream dress dust ear earth egg elephant eye face family farm
fence field finger fire fish flag floor food foot fox friend fruit game gate gift glass glove goal
gold grass group guest hair hall hand hat head heart hill holiday hospital hotel hour house ice
idea jar job juice king lake language leaf leg lesson line list lock machine meat message metal
milk mind minute money month moon mountain mouse mouth movie music nail name neck needle nest news
nose number nurse ocean office oil page paint parent park party path pen people photo picture pie
pig pilot pipe place player pool post pot price prize queen question rain report rice road roof
room root rope sail sand school screen sea seat seed sentence shelf shirt shoe shop shoulder
sister skin sky snow soap sock song sound soup space star stick store storm story street string
student sun swim switch tail tea teacher team test thing thumb time tooth town toy tree trip turn
uncle user voice wall watch water wave week wheel wind wing wolf wood word world yard year
""".split()

HELD_OUT_WORDS = """
umbrella walrus anchor lantern pancake trumpet saddle compost biscuit dolphin cactus gravel
hedgehog marble napkin pyramid quilt radish sponge tractor velvet whistle yogurt zipper almond
beaver chimney dragon envelope feather
""".split()

ADJECTIVES = """
red blue green yellow black white small large old new quick slow warm cold bright dark soft hard
happy quiet loud round flat tall short heavy light clean fresh sweet angry brave busy calm careful
clever cool cruel deep easy empty famous fine free full funny gentle golden good great honest
hungry kind late lazy long lovely low lucky modern narrow nice open plain polite poor pretty proud
pure rare ready rich rough sad safe sharp shy silent silly simple smooth strange strong tiny tired
true useful usual weak wet wide wild wise wooden young
""".split()

VERBS = """
walks runs sings reads sleeps jumps swims cooks paints writes dances waits works plays rests
""".split()

ITEMS = """
apples books chairs lamps pencils bottles candles plates spoons tickets coins flowers oranges eggs
stamps maps cups hats boxes keys
""".split()

DAYS = """
Monday Tuesday Wednesday Thursday Friday Saturday Sunday
""".split()

MONTHS = """
January February March April May June July August September October November December
""".split()

COLOURS = """
red blue green yellow black white purple orange pink brown grey
""".split()

HOBBIES = """
chess painting cooking sailing hiking reading gardening cycling swimming singing photography
tennis
""".split()

JOBS = """
nurse teacher baker pilot farmer doctor painter lawyer driver engineer cook singer dentist plumber
gardener writer librarian carpenter
""".split()

TOOL_VERBS = """
get set find list create delete update send read open close start stop check book cancel move add
remove count search show play pause lock unlock order print scan track fetch query run lookup
schedule reserve rename share save load turn change calculate convert make
""".split()

TOOL_OBJECTS = """
weather lamp door order invoice ticket user file note event room song timer alarm report price
stock package flight table window robot heater camera printer account meeting task recipe photo
battery garden light message contact product customer page image video map route car bus train
hotel payment calendar reminder document database record folder score forecast currency
translation temperature balance schedule shipment backup server device sensor article
""".split()

HELD_OUT_TOOL_OBJECTS = """
drone boiler elevator passport fountain scooter turbine projector aquarium incubator greenhouse
tractor
""".split()

"""Words for questions beyond the facts: people, places, books, subjects, things, actions.

Nothing here is known to the model: it learns to say so. What facts.py knows is taken out of the lists.
"""

from facts import AUTHORS, CAPITALS, CURRENCIES, DEFINITIONS, ELEMENTS, OPPOSITES, YOUNG_ANIMALS

KNOWN = {
    part.lower()
    for table in (
        CAPITALS,
        CURRENCIES,
        ELEMENTS,
        OPPOSITES,
        YOUNG_ANIMALS,
        AUTHORS,
        [entry[:1] for entry in DEFINITIONS],
    )
    for entry in table
    for part in entry
}


def unknown_of(text, separator=None):
    return [item.strip() for item in text.split(separator) if item.strip() and item.strip().lower() not in KNOWN]


PEOPLE = unknown_of(
    """
Caesar, Cleopatra, Mozart, Picasso, Gandhi, Churchill, Lincoln, Columbus, Galileo, Aristotle, Plato, Confucius,
Marie Curie, Isaac Newton, Darwin, Tesla, Edison, Bach, Elvis, Madonna, Messi, Ronaldo, Obama, Mandela, Lenin, Marx,
Freud, Joan of Arc, Marco Polo, Nero, Alexander the Great, Bill Gates, Steve Jobs, Elon Musk, Bob Dylan, Adele, Beyonce,
Harry Potter, Sherlock Holmes, Batman, Robin Hood, Zeus, Buddha, Jesus, Michael Jordan, Serena Williams, Pele, Van Gogh,
Rembrandt, Dali, Chopin, Verdi, Goya, Rousseau, Kant, Nietzsche, Hegel, Socrates, Euclid, Pythagoras, Archimedes, Turing,
Lovelace, Gagarin, Amundsen, Magellan, Queen Victoria, King Arthur, Genghis Khan, Attila, Hannibal, Spartacus
""",
    ",",
)
PLACES = unknown_of(
    """
Texas, Florida, Ohio, Alaska, Nevada, Oregon, Utah, Virginia, Quebec, Ontario, Tuscany, Sicily, Provence, Brittany,
Catalonia, Andalusia, Saxony, Hesse, Flanders, Scotland, Wales, Cornwall, Kent, Yorkshire, Siberia, Tibet, Punjab,
Kerala, Bengal, Hokkaido, Tasmania, Queensland, Patagonia, Lapland, Greenland, Hawaii, Crimea, Kashmir, Mars, Venus,
Jupiter, Europe, Asia, Africa, Antarctica, the moon, Wonderland, Gondor, Mordor, El Dorado, Utopia, Belize, Togo, Chad,
Niger, Benin, Gabon, Malawi, Botswana, Lesotho, Guyana, Suriname, Bahrain, Yemen, Brunei, Palau, Samoa, Tonga, Andorra,
Monaco, San Marino, Moldova, Kosovo, Israel, Afghanistan, Kazakhstan, Honduras, Guatemala, Nicaragua, Barbados, Wyoming,
Montana, Georgia state, the Sahara, the Alps, the Andes, the Amazon, Mount Fuji, Lake Como, the Vatican, Hollywood
""",
    ",",
)
BOOKS = unknown_of(
    """
Ulysses, Macbeth, Othello, King Lear, The Hobbit, Dune, Lolita, Middlemarch, Candide, The Iliad, The Aeneid, Walden,
Germinal, Nana, Rebecca, Persuasion, Ivanhoe, Kim, The Idiot, The Castle, Animal Farm, Robinson Crusoe, Treasure Island,
Gulliver's Travels, Little Women, Jane Eyre, Wuthering Heights, Great Expectations, Crime and Punishment, The Bible,
Anna Karenina, The Divine Comedy, Siddhartha, The Plague, The Stranger, Watership Down, Heidi, Pinocchio, Peter Pan
""",
    ",",
)
SUBJECTS = unknown_of(
    """
gravity, magnetism, evolution, democracy, capitalism, algebra, geometry, trigonometry, probability, chemistry, biology,
physics, astronomy, geology, economics, psychology, sociology, philosophy, theology, linguistics, grammar, poetry, opera,
jazz, ballet, cinema, architecture, sculpture, feminism, socialism, inflation, taxation, insurance, marketing, genetics,
quantum mechanics, thermodynamics, nuclear power, solar energy, artificial intelligence, deep learning, cryptography,
cloud computing, Kubernetes, Docker, React, Java, the C language, machine code, regular expressions, garbage collection,
the Cold War, the Renaissance, the Middle Ages, the Stone Age, the Silk Road, the Industrial Revolution, World War I,
the American Civil War, the Great Depression, the Black Death, the Olympics, the Super Bowl, the Champions League,
the European Union, the United Nations, the stock exchange, the internet of things, global warming, the ozone layer,
the immune system, the nervous system, blood pressure, diabetes, cancer, malaria, asthma, anaemia, migraine, sleep,
hypnosis, meditation, yoga, karate, football, basketball, cricket, rugby, baseball, golf, boxing, poker, sudoku,
origami, knitting, pottery, astrology, mythology, Buddhism, Islam, Christianity, Hinduism, Judaism, Latin, Sanskrit,
Esperanto, sign language, Morse code, the periodic table, the water cycle, plate tectonics, a supernova, a neutron star,
an eclipse, a tsunami, a tornado, lightning, thunder, a rainbow, the tides, the seasons, gluten, cholesterol, caffeine,
vitamin C, protein, sugar, alcohol, sushi, risotto, curry, chocolate cake, sourdough, whisky, champagne, espresso,
Bitcoin, Ethereum, Netflix, YouTube, Instagram, Facebook, Amazon, Microsoft, Toyota, Boeing, NASA, NATO, the FBI, FIFA,
Star Trek, Titanic, Casablanca, Avatar, the Matrix, Minecraft, Tetris, chess openings, Monopoly, Pokemon, the Beatles,
Mickey Mouse, Santa Claus, Halloween, Christmas, Ramadan, Thanksgiving, the Colosseum, Stonehenge, the Taj Mahal,
Big Ben, the Great Wall, the Berlin Wall, the Kremlin, the White House, the Louvre, Machu Picchu, the Mayflower
""",
    ",",
)
TOPIC_WORDS = unknown_of(
    """
accident actor agreement airplane alarm algorithm alien alley altar ambulance animal antenna apartment app appetite
aquarium arena army arrow article asteroid athlete atom attack attic audience aunt avocado backpack bacon bacteria
bakery ballet balloon bandage bank barrel battery battle beard beauty bible bill birthday blood bomb border boss brand
bridge brother bubble budget bug building bullet business cable calendar calorie camel canal cancer candle canvas captain
carbonate career cargo cartoon cell cemetery century ceremony challenge champion chapter charity cheque chess chicken
chip chocolate church cigarette cinema citizen city civilisation claim clown coal coast cocktail code college colony
column comedy command comment company competition component concert condition contract conversation cough council
couple court cousin crime crisis criminal crocodile crop culture cure custom customer damage dance danger daughter deal
death debt decade degree dentist desert design dessert detail device diamond diet dinner dinosaur diploma disaster
disease divorce document dollar domain draft driver drug duty earthquake economy editor electron email emergency emotion
emperor empire employee enemy energy equation error essay event evidence exam exercise experiment expert explosion
export fabric factory failure fairy faith fashion father fault fear festival fiction film fire flight flood flu fork
formula fraction freedom fuel function funeral furniture future galaxy gallery gang gas gene genius ghost giant giraffe
girlfriend glacier god government grandmother graph gravity guilt gun habit hamster harvest headache headline health
heaven helicopter hero history hobby holiday homework hormone husband hymn hypothesis iceberg illness import income
industry infection insect instrument interview invention iPhone island jaguar jail jealousy jewel job joke journal
journey judge jungle jury kangaroo keyboard kidney king kiss kingdom knight label laboratory landlord laptop laser laugh
law lawyer leader lecture legend letter liberty licence lie lifetime lightning lion lipstick liver loan lobster
loneliness lottery luck lung machine magazine magic magnet marathon marriage match medicine melody member memory
metal microwave migration military mineral miracle mirror mission mistake monk monster mosquito mother motor movie
muscle museum mushroom myth nation nature nerve neutron newspaper nightmare noise novel nuclear nutrition oak oil
opera opinion orchestra organ oxygen ozone package pain palace pancake pandemic panic paradise parent parliament
passenger passport password pasta patient peace peninsula pension pepper perfume permit pet philosophy phone photo
physics pirate pizza planet plant plastic plot poem poison police pollution pope population poverty power prayer
pregnancy president priest prison problem product professor profit program project promise protein protest province
psychology pyramid python quality quarter queen question race radio railway rainbow recipe refugee religion rent
republic research restaurant revolution rhythm ritual river robot rocket romance route rugby ruler rumour salad salary
satellite sauce scandal scholar science scientist score screen secret senator shadow shark shock shuttle skeleton skill
slavery sleep smoke snake soccer society soldier song soul species speech spell spice spirit sport spy stadium
statistics statue stock stomach storm strategy stress strike student submarine subway success suicide sunset surgery
surgeon symptom syndrome system taste tax taxi technology temple tennis terrorist theatre theory therapy thief thunder
ticket tornado tourist tradition traffic tragedy treasure treaty trial tribe truth tsunami tumour tyre umpire uniform
union universe university vacation valley vampire vegetable vegan victory video village violence virus visa vitamin
volcano vote voyage wage war warrior wealth weapon website wedding weekend whale whisky widow wife window wine witch
witness wizard woman worm wound wrestler writer yacht youth zebra zombie zone invoice spreadsheet browser compiler
database kernel framework endpoint cluster container variable pointer thread script widget banner layout stylesheet
repository commit branch ticket pipeline backend frontend login dashboard plugin firewall router modem printer
""",
)
ACTIONS = [
    line.strip()
    for line in """
book, book a table, buy, buy a car, sell, order, order a taxi, call, call my brother, phone, text, mail, send, post, ship,
cook, cook pasta, bake, fry, grill, boil, peel, repair, repair my bike, fix, mend, clean, wash, iron, paint, build, design,
draw, sketch, sculpt, sing, play, dance, juggle, win, beat, defeat, fight, invade, conquer, hack, crack, steal, smuggle,
learn, study, memorise, teach, practise, master, solve, prove, integrate, differentiate, simplify, factor, convert,
translate, transcribe, proofread, edit, format, rewrite, refactor, debug, compile, deploy, install, uninstall, download,
upload, print, scan, encrypt, decrypt, compress, render, animate, test, benchmark, optimise, monitor, restart, reboot,
delete, remove, erase, rename, move, merge, split, commit, push, pull, publish, schedule, cancel, postpone, plan, arrange,
organise, host, invite, marry, divorce, date, kiss, meet, visit, travel to, fly to, drive to, move to, leave, escape,
find, locate, search, look up, google, track, check, verify, predict, forecast, estimate, measure, weigh, count up, invest,
save for, pay, borrow, lend, donate, tax, insure, sue, arrest, vote for, elect, support, oppose, believe, trust, forgive,
cure, treat, heal, vaccinate, diagnose, feed, train, breed, adopt, grow, plant, water, harvest, hunt, catch, fish, eat,
drink, taste, smell, watch, listen to, read out, stream, record, film, photograph, turn on, turn off, switch on, set,
open, close, lock, unlock, start, stop, pause, run, execute, launch, simulate, imagine, invent, create, generate, compose,
analyse, review, judge, rank, recommend, compare, classify, evaluate, interpret, quote, cite, explore, climb, swim, ski
""".replace("\n", " ").split(",")
]
PROPERTIES = """
age size weight height price colour population area history meaning origin purpose plot ending title address
temperature density value length depth width speed distance formula root cube logarithm derivative integral boiling_point
melting_point capacity volume religion president language flag anthem name owner author date birthday score result
status cause effect symptom cure treatment recipe ingredient_list side_effect lyric melody rhythm genre budget salary
profit revenue tax rate GDP climate weather time_zone phone_number postcode website password schedule timetable opening_hours
menu rule law punishment penalty strategy structure function composition shape taste smell sound texture national_animal
national_dish life_span diet habitat scientific_name Latin_name nickname slogan motto logo version licence source_code
""".replace("\n", " ").split()
PROPERTIES = [item.replace("_", " ") for item in PROPERTIES]

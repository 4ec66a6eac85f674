"""Common English words by class, written for this project."""

DETERMINERS = "the a this that my your his her our their some any every each no one another".split()
ADJECTIVES = """big small old new good bad long short hot cold fast slow high low red blue green black white yellow
happy sad young early late open closed clean dirty dark bright strong weak rich poor free busy quiet loud sweet soft
hard easy difficult simple strange great little large huge tiny whole empty full ready sure true false right wrong
left important local public private modern special common famous beautiful wonderful terrible possible different same
next last first second third final main real clear safe dangerous healthy sick tired hungry angry careful friendly
gentle brave clever serious funny nice fine fresh warm cool dry wet heavy light deep wide narrow round square broken
lost best better worst golden silver wooden orange purple brown gray english american french german""".split()
NOUNS = """man woman child boy girl friend mother father brother sister family baby dog cat bird fish
horse cow tree flower garden house home room door window table chair bed kitchen wall floor roof street
road city town village country world river lake sea ocean mountain hill forest field island beach sky sun
moon star rain snow wind storm weather summer winter spring autumn morning evening night day week month
year hour minute time moment clock school teacher student lesson class book page paper pen pencil letter
word sentence story question answer idea problem reason fact number name language music song voice sound
picture photo movie game ball team player car bus train plane boat ship bicycle station airport ticket map
trip bridge corner store shop market price money bank dollar job work office company manager worker doctor
nurse hospital police army king queen president leader government law court news radio television phone
computer machine model system program screen keyboard message network internet data file memory key lock
box bag bottle cup glass plate knife fork spoon food bread butter cheese milk water coffee tea juice apple
orange banana potato rice meat chicken egg soup salad sugar salt cake dinner lunch breakfast restaurant
hotel shirt dress coat hat shoe ring watch body head face eye ear nose mouth hand arm finger leg foot
heart back hair skin blood life death love war peace power light fire air earth stone gold metal wood
plastic energy engine wheel line circle side end beginning middle part piece group people person party
meeting plan project report test result list order example point place way thing kind sort area space
level size shape color speed temperature history science art culture church library museum theater park
farm factory building tower camera speech speaker microphone planet rocket captain doctor lawyer farmer
artist writer driver pilot soldier customer neighbor visitor guest birthday holiday present gift dream
hope fear danger accident mistake chance choice change difference trouble secret truth weekend century
future past""".split()
PLURALS = """men women children boys girls friends people dogs cats birds horses trees flowers houses rooms doors
windows tables chairs streets cities towns countries rivers mountains stars students teachers books pages words
letters questions answers ideas problems numbers names songs pictures games players cars trains planes boats tickets
maps stores prices dollars workers doctors machines models computers phones messages files keys boxes bags bottles
cups apples eggs cakes shirts shoes hands eyes feet days weeks months years hours minutes things places parts points
lines lights sounds voices changes results tests plans reports lists orders examples parents brothers sisters
neighbors visitors minds rules teams groups""".split()
VERBS = """see find make take get give know want need like love hate help call ask tell show bring buy sell open close
start stop move turn push pull carry hold keep leave lose win build break cut clean cook wash read write draw paint
play watch hear follow lead meet visit teach learn study remember forget understand believe change use try check test
save send receive choose pick join enjoy finish begin continue plan order pay catch throw drop fix cover cross enter
reach pass share spend support protect describe explain discuss imagine consider expect notice record repeat measure
count answer control drive ride feed fill hide touch smell taste""".split()
VERBS_THIRD_PERSON = """sees finds makes takes gets gives knows wants needs likes loves hates helps calls asks tells
shows brings buys sells opens closes starts stops moves turns pushes pulls carries holds keeps leaves loses wins
builds breaks cuts cleans cooks washes reads writes draws paints plays watches hears follows leads meets visits
teaches learns remembers forgets understands believes changes uses tries checks saves sends chooses enjoys finishes
begins continues explains expects notices records repeats measures counts""".split()
VERBS_PAST = """saw found made took got gave knew wanted needed liked loved helped called asked told showed brought
bought sold opened closed started stopped moved turned pushed pulled carried held kept left lost won built broke cut
cleaned cooked washed read wrote drew painted played watched heard followed led met visited taught learned studied
remembered forgot understood believed changed used tried checked saved sent chose enjoyed finished began continued
planned ordered paid caught threw dropped fixed covered crossed entered reached passed shared spent described
explained discussed noticed recorded repeated measured counted answered""".split()
PLAIN_VERBS = """go come run walk sit stand wait sleep wake eat drink sing dance laugh smile cry talk speak listen
look think live stay grow fall rise fly swim travel return arrive happen work rest agree""".split()
PLAIN_VERBS_PAST = """went came ran walked sat stood waited slept ate drank sang danced laughed smiled cried talked
spoke listened looked lived stayed grew fell rose flew swam traveled returned arrived worked rested agreed""".split()
VERBS_CONTINUOUS = """going coming running walking sitting standing waiting sleeping eating drinking
singing dancing laughing talking speaking listening looking thinking living staying growing falling flying
swimming working making taking getting giving finding reading writing playing watching helping calling
asking telling buying selling opening closing starting stopping moving turning building cleaning cooking
driving learning trying using sending testing""".split()
ADVERBS = """quickly slowly quietly loudly carefully easily often always never sometimes usually again already soon
now then today tomorrow yesterday tonight here there everywhere outside inside together alone early late almost really
very too well maybe perhaps probably certainly finally suddenly clearly exactly directly recently once twice later
before after away back home still just only""".split()
PREPOSITIONS = """in on at by with from to for near under over behind before after between through across along around
about into out of without inside outside against during until beside above below toward""".split()
SUBJECTS = "i you he she it we they".split()
OBJECTS = "me you him her it us them".split()
QUESTION_WORDS = "what where when why how who which".split()
SMALL_WORDS = """yes no please thank thanks hello goodbye sorry okay well so but and or because if when while although
than as not nothing something anything everything nobody somebody everyone someone myself yourself himself itself
themselves mine yours whose whom these those both few many much more most less least several enough such other others
own even ever else yet quite rather""".split()
AUXILIARIES = """can could will would should must may might do did does is are was were am be been being have has had
having cannot""".split()
ONES = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen""".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
MONTHS = "january february march april may june july august september october november december".split()
NAMES = """john mary james anna peter paul sarah david michael robert thomas emma lucy george henry alice jack kate
sam tom london paris berlin america england europe china india africa canada""".split()
COUNTING = "hundred thousand million point percent half quarter past clock dozen".split()

CLASSES = (
    DETERMINERS, ADJECTIVES, NOUNS, PLURALS, VERBS, VERBS_THIRD_PERSON, VERBS_PAST, PLAIN_VERBS,
    PLAIN_VERBS_PAST, VERBS_CONTINUOUS, ADVERBS, PREPOSITIONS, SUBJECTS, OBJECTS, QUESTION_WORDS, SMALL_WORDS,
    AUXILIARIES, ONES, TENS, ORDINALS, WEEKDAYS, MONTHS, NAMES,
    COUNTING,
)
COMMON = sorted({word for words in CLASSES for word in words})

"""Word lists written for this project: synonyms, irregular forms, function words."""

SYNONYMS = [group.strip().split("/") for group in """
big/large/huge/great; small/little/tiny; fast/quick/rapid/speedy; begin/start/commence;
began/started/commenced; end/finish/conclude; build/construct/create/erect; built/constructed/created/erected;
buy/purchase/acquire; bought/purchased/acquired; car/automobile/vehicle; house/home/residence;
film/movie/picture; doctor/physician; teacher/instructor/educator; child/kid/youngster;
children/kids/youngsters; man/guy/gentleman; woman/lady; boy/lad; girl/lass; happy/glad/joyful/cheerful;
sad/unhappy/sorrowful; angry/mad/furious; rich/wealthy/affluent; poor/needy; smart/clever/intelligent;
error/mistake/fault; fix/repair/correct/mend; fixed/repaired/corrected; help/assist/aid/support;
job/work/occupation/profession; city/town/municipality; country/nation/state; war/conflict; battle/fight/clash;
king/ruler/monarch; law/statute/rule/regulation; show/display/present/exhibit; shown/displayed/presented;
use/employ/utilize; used/employed/utilized; get/obtain/receive; got/obtained/received; give/provide/supply;
given/provided/supplied; said/stated/declared; called/named/known as/termed; make/produce/manufacture;
made/produced/manufactured; found/discovered/located; founded/established/set up/created;
died/passed away/perished; kill/slay/murder; won/defeated/beat; lost/was defeated; leader/head/chief;
company/firm/business/corporation; money/funds/cash; price/cost; cheap/inexpensive; expensive/costly;
important/significant/major/key; main/primary/principal/chief; many/numerous/several/lots of;
people/persons/individuals; population/number of inhabitants/number of people; student/pupil/learner;
students/pupils/learners; university/college; book/volume/publication; author/writer; wrote/authored/penned;
written/authored; song/tune/track; picture/image/photo/photograph; road/street; ship/vessel/boat;
plane/airplane/aircraft; airport/airfield; train/railway; sea/ocean; river/stream; forest/woods/woodland;
rain/rainfall; old/ancient/aged; new/recent/modern; often/frequently/commonly; usually/normally/typically;
about/approximately/roughly/around; near/close to/next to; before/prior to; after/following;
because of/due to/owing to; allow/permit/let/enable; allowed/permitted/enabled; stop/halt/cease;
change/alter/modify; changed/altered/modified; increase/grow/rise; increased/grew/rose;
decrease/decline/reduce/drop; method/technique/approach/way; result/outcome/effect; cause/reason;
part/portion/component/section; kind/type/sort; group/team/band; game/match; player/athlete; sick/ill/unwell;
disease/illness/sickness; medicine/drug/medication; food/meal; eat/consume; cut/slice/chop; speak/talk;
speaking/talking; look/watch; looking/watching; run/jog; running/jogging; walk/stroll; walking/strolling;
answer/reply/response; question/query; delete/remove/erase; deleted/removed/erased; file/document;
folder/directory; program/application/software; computer/machine; password/passphrase/credentials;
sign in/log in/login; account/profile; send/transmit/deliver; sent/transmitted/delivered; choose/select/pick;
chosen/selected/picked; default/standard; option/setting/parameter; argument/parameter;
function/routine/procedure; string/text; number/amount/quantity; list/array; print/output/write; print/show;
read/load; connect/link/join; connection/link; network/net; user/person; display/screen/monitor;
store/save/keep; stored/saved/kept; contain/include/hold; contains/includes/holds; contained/included;
require/need/demand; required/needed/necessary; verify/check/validate; search/look for/find;
quickly/rapidly/fast; entire/whole/complete; ability/capability/capacity; purpose/goal/aim/objective;
lead/guide; led/guided/headed; located/situated; live/reside/dwell; lived/resided/dwelt; area/region/zone;
border/boundary; famous/well-known/renowned; award/prize; church/cathedral/chapel; energy/power;
power/authority; heat/warmth; cold/chilly; hot/warm; sleep/nap; jump/leap; dog/puppy/canine; cat/kitten/feline;
horse/pony; bike/bicycle/cycle; guitar/instrument; cook/prepare; baby/infant; beautiful/pretty/lovely;
strange/odd/unusual; dangerous/hazardous/unsafe; safe/secure; difficult/hard/tough; easy/simple;
true/correct/right; false/wrong/incorrect; gift/present; holiday/vacation; trip/journey/voyage; shop/store;
refund/money back/reimbursement; cancel/terminate; subscription/plan/membership; order/purchase;
shipping/delivery; invoice/bill/receipt
""".split(";")]

# form:another form of the same word
OTHER_FORMS = dict(pair.split(":") for pair in """
built:build wrote:write written:write won:win lost:lose led:lead began:begin became:become made:make gave:give
took:take taken:take found:find held:hold sold:sell bought:buy brought:bring died:die born:birth went:go
grew:grow known:know called:call said:say saw:see sent:send met:meet left:leave kept:keep spoke:speak
fought:fight ran:run fell:fall rose:rise chose:choose drew:draw drove:drive children:child men:man women:woman
people:person feet:foot lives:life is:was was:is are:were were:are has:had had:has
""".split())

FUNCTION_WORDS = set("""
a an the of to in on at by for with from as is are was were be been being it its this that these those and or
but not no if then than so such which who whom whose what when where why how do does did can could may might
must shall should will would has have had he she they them his her their we you your i my our there here also
into about over under after before between each any all some more most other only own same very just out up down
off again further once
""".split())

"""Greetings and small talk, with fixed answers. The shape of the table is described in answers.py."""

import held_out

GREETING = [
    (
        [
            "(Hello|Hi|Hey|Hi there|Hey there|Good morning|Good evening|Good afternoon|Hello there|Greetings)(|!|.|, how can you help me?)",
            "(hello|hi|hey) (inferd|model|assistant|bot|there|again)(|!)",
            "(Hello|Hi) world(|!)",
            "(Bonjour|Hola|Hallo|Ciao|Guten Tag)(|!)",
            "yo",
            "(Hello|Hi|Hey)(,| my| dear) (friend|model|starter model|computer|buddy|mate|everyone|you)(|!|.)",
            "(Hello hello|Hi there again|Hey you|Hello again|Good to see you|Nice to see you|Hiya|Howdy|Morning|Evening)(|!|.)",
            "(I want to|I just want to|Let me) say (hello|hi)(|.)",
            "(Hello|Hi|Hey|Hello there|Hi there|Good morning|Good evening|Hey there|Greetings|hi|hello|hey)(|!|.|,|!!|...|?)",
            "(Hello|Hi|Hey|Hello there|Hi there|Good morning|Good evening|Hey there|Greetings|hi|hello|hey)(,| -|!|.|) (I am|I'm|it is|it's|this is) (new here|here|back|me|a new user|me again|your user|just me)(|.|!)",
            "(Hello|Hi|Hey|Hello there|Hi there|Good morning|Good evening|Hey there|Greetings|hi|hello|hey)(,|!|.|) (good|nice|great|lovely|happy|pleased) to (see|meet|hear|have|talk to|find) you(|!|.)",
            "(Hello|Hi|Hey|Hello there|Hi there|Good morning|Good evening|Hey there|Greetings|hi|hello|hey)(,|) (old|little|my|dear|new|tiny|small|sweet|nice) (friend|model|machine|robot|computer|one|server|program|helper|pal)(|!|.)",
            "(Hello|Hi|Hey|Hello there|Hi there|Good morning|Good evening|Hey there|Greetings|hi|hello|hey) (to you|to everyone|to all|everybody|folks|guys|all|team|world|sir|madam|AI|bot|robot|computer|chat|assistant|server|from {city}|from the other side|from me)(|!|.)",
            "(Good|good|A good|A very good|A nice|Have a good|Lovely) (morning|evening|afternoon|day|night to start|new year)( to you| my friend| everyone| there|)(|!|.)",
            "(Hola|Salut|Bonjour|Hallo|Ciao|Hej|Namaste|Aloha|Ola|Moin|Servus|Guten Morgen|Buenos dias|Buongiorno|Konnichiwa|Salam|Shalom|Privet|Merhaba|Ahoy|Ahoj|Hei|Guten Abend|Hoi|Goedemorgen)(|!|.| amigo| my friend| there)",
            "(heyy|hii|hiii|helo|hallo|hell|hy|hai|heyo|oi|ello|g'day|hiya|howdy|yo|yoo|hi hello|hey hey|hello hi|hi again|oh hello|oh hi|well hi|ah hello|and hello|hello hello hello)(| there| you| man| friend| everyone)(|!|.)",
            "(I|We|I only|I just|My friend) (want to|wanted to|would like to|wish to|came to|am here to) (say|tell you) (hi|hello|good morning)(| to you)(|.|!)",
            "(Pleased|Nice|Glad|Happy|Great) to (meet|see|know|have) you(| too| at last| here)(|!|.)",
            "(Welcome|Welcome back|Let us start|Let's start|Let's begin|Shall we start|Wake up|Knock knock|Start)(|!|.|?)",
            *3
            * [
                "(hi|hello|hey|heya|hiya|hullo|howdy|salut|salve|ahoy|g'day|good day|yello|hail|wassup|bonsoir|buenas|oy|hihi|henlo|greetings|welcome|morning|afternoon|evening|hallo|hola|ciao|aloha|namaste|sup|heyo|hellooo|hiii|heyyy|hey ho|well met|good to see you|nice to meet you|a good day|a very good day|a very good morning|a very good afternoon|good evening|oh hello|oh hey|well hello|why hello)(|,| my friend| friend| mate| buddy| everyone| inferd| there| you| all| dear| again| now| then| please| to you)(|!|.|!!|?)"
            ],
            *3
            * [
                "(Heya|Salut|Hullo|Good day|Hellooo|Greetings|Nice to meet you|Oh hey|Hi|Well hello)(,|!|.|) (I am new|it's me|friend|world|model|nice server|and welcome|from my terminal|from the office|from Berlin|how nice|little machine|dear machine|bot)(|!|.)"
            ],
        ],
        held_out.GREETING["hello"],
        "Hello! How can I help you?",
    ),
    (
        [
            "(Hello, |Hi, |Hey, |)(how are you|how are you doing|how are you today|how is it going|are you well|how do you do|how's it going|how do you feel)(|?)",
            "what's up(|?)",
            "(How have you been|How was your day|How is your day|How's life|Everything good|All good|Are you fine|Are you good|Are you happy|How are things going)(|?)",
            "(How|how) (are|r) (you|u|ya|things|we|you all)( doing| feeling| holding up| getting on| going| keeping|)( today| this evening| right now| lately| over there| at the moment| my friend| then|)(|?|?)",
            "(How|how) (is|'s|has) (it|life|everything|your day|your week|your morning|the day|business|the server|your evening|work|all)( going| been| treating you| so far| been so far| with you|)( today| lately| these days|)(|?)",
            "(Are|are|Is) (you|everything|all|things) (fine|well|good|ok|okay|alright|happy|all right|in order|in good shape|healthy|going well|doing well|tired)( today| there| now| with you|)(|?)",
            "(What's|What is|what's|Whats|whats) (up|new|new with you|going on|happening|good|cooking|the mood)( today| with you| there| friend| man|)(|?)",
            "(Hi|Hello|Hey|Good morning|Greetings)(,|!|) (how are you|how are you doing|how do you do|how is it going|how's everything|how are things|how have you been|are you well|what's up|you ok)( today| my friend| lately|)(|?)",
            "(I hope|Hopefully|I trust) (you are|everything is|all is|you're|things are) (well|fine|good|great|ok)( with you| today| there|)(|.|!)",
            "(You|u|ya) (good|ok|well|fine|happy|feeling well|doing fine|doing good|there and well)(| today| now)?",
            "(Did you|Have you) (sleep well|have a good day|had a good day|rested|slept well|have a nice weekend)(|?)",
            "(Doing|Feeling|Going) (well|fine|ok|great|alright)(| today)?",
            *3
            * [
                "(how goes it going|how goes the day|how goes your work|how are we today|how are we feeling|how you doing|how's life|hows everything|how is life|how is life treating you today|hows work treating you|you alright there|you ok there|are you alright|are you okay today|you okay|are you all right|u ok|feeling good|feeling well today|feeling okay|in good spirits|all well|everything okay with you|everything alright|how's your mood|good mood today|hope you're good|I hope you are good|I hope you do well|I hope all is well|hope all is fine|how do things go|how are things today|how are things with you)(|?| then?| mate?| my friend?| today?)"
            ],
        ],
        held_out.GREETING["how"],
        "I am running well, thank you. What can I do for you?",
    ),
    (
        [
            "(Ok |Great, |)(Thanks|Thank you|Thanks a lot|Thank you very much|Many thanks|Thank you so much|thx|Cheers)(|!|.)",
            "(Great|Perfect|Good job|Nice|Well done|Cool|Awesome), (thanks|thank you)(|!)",
            "(Thanks|Thank you) (for the help|for this|for the answer|for your answer|for everything|again|for helping)(|!|.)",
            "(Thanks|Thank you), (that is|that was|this is) (good|great|helpful|useful|nice|all)(|!|.)",
            "I (thank you|am grateful|appreciate it)(|.)",
            "(Thanks|thanks|Thank you|thank you|thx|Thx|tnx|thanx|tysm|Thank you kindly|Thanks a bunch|Thanks a million|Thanks so much|Many thanks|Big thanks|My thanks|thank yo|Merci|Danke|Gracias|Grazie)( my friend| inferd| bot| model| buddy| dear| again| anyway| then| to you| all|)(|!|.|!!)",
            "(Thanks|Thank you|Many thanks|Thx) for (that|it|this|your time|your answer|your reply|answering|helping me|helping|all|the information|the info|being here|your work|your support|the fast answer|trying|letting me know|your kindness|the joke|the list)(|!|.)",
            "(That|This|It) (was|is|helped|really helped|was really|was very|has been|worked) (|a lot|me|so|very )(nice|helpful|useful|great|good|perfect|kind|what I needed|fast|clear)(| of you)(,| -|.|!) (thanks|thank you|many thanks|thx|thank you so much)(|!|.)",
            "(I|We) (really |do |)(appreciate|am thankful for|are grateful for|value|thank you for) (it|this|that|your help|your answer|your time|what you did)(|!|.)",
            "(You are|You're|You were|You have been) (so |very |really |)(helpful|kind|nice|great|useful|a star|the best|a hero|amazing|awesome)(|!|.|, thanks|, thank you|! Thanks)",
            "(Ok|Great|Perfect|Wonderful|Excellent|Good|Fine|Super|Lovely|Yes|Nice one|Cool|Alright|Wow)(,|!|.|) (thanks|thank you|thx|many thanks|thank you very much|thanks a lot|ty)(|!|.)",
            "(Appreciated|Very kind|So kind|How kind|Cheers|Nicely done|Good work|Good bot|Good answer|Great answer|Great job|Well said)(|!|.| mate| indeed|, thanks)",
            *3
            * [
                "(ty|tyvm|thank u|thnx|thankyou|thank ya|much obliged|much thanks|very much appreciated|it is much appreciated|appreciated|I am grateful|grateful|bless you|kudos|ta|bravo|merci|danke|cheers|ty so much|ty a lot|thank u very much|so kind|kind of you|that was kind|that was very kind|how kind of you|you helped|you helped me a lot|you have helped|you have been great|you were a great help|great help|big help|what a help|thanks for the explanation|thanks for explaining it|thanks for the answer|that explains it, thanks|that helps, thank you|that helped)(|!|.| my friend| a lot!| mate| bot| inferd| again| so much)"
            ],
        ],
        held_out.GREETING["thanks"],
        "You are welcome!",
    ),
    (
        [
            "(Ok, |)(Bye|Goodbye|See you later|Bye bye|See you|Good night|See you tomorrow|Talk to you later|I have to go)(|!|.)",
            "(Bye|bye|Goodbye|goodbye|Good bye|byebye|Bye-bye|Ciao ciao|Adios|Au revoir|Tschuss|Arrivederci|cu|cheerio|so long|Good night|gn|Until next time|Until tomorrow|See you|see ya|See you soon|See you around|Later|laters|ttyl|brb|Take it easy|Over and out|Sleep well)( then| now| my friend| friend| inferd| everyone| bot| and thanks| and thank you| all|)(|!|.)",
            "(I|I really|Sorry, I|Ok, I) (have to|must|need to|should|want to|am going to|will) (go|leave|run|stop|sleep|go to bed|log off|quit|sign off|go home|go now|end this|close this)( now| soon| here|)(|.|!|, bye|, goodbye|, see you)",
            "(I am|I'm|We are) (off|done|going|leaving|finished|going home|off to bed|going to bed|logging off|out)( for today| now| then| for now| here|)(|.|!|, bye|, goodbye|, see you)",
            "(That|This) (is|was|will be) (all|it|everything|enough)( for now| for today| I needed| then|)(,|.|!) (bye|goodbye|see you|good night|thanks and bye)(|!|.)",
            "(Have|Enjoy) (a|your) (nice|good|great|lovely|pleasant) (day|evening|night|weekend|one|time)(|!|.|, bye|! Bye)",
            "(Talk|Speak|Write|See|Meet) (to |)you (later|soon|tomorrow|next week|again|next time|then|another day)(|!|.)",
            *3
            * [
                "(farewell|cya|cu|see ya|take care|bye bye|toodles|peace out|later|signing off|off I go|I'll be going|I'll be off|I will be going|I will be leaving|gotta go|gtg|g2g|must dash|until then|catch you later|stay safe|all the best|best wishes|adieu|sayonara|hasta la vista|good bye|goodnight|good night|bye for today|bye until tomorrow|that's all|that's all for now|that is it for today|I'm leaving|I am leaving|I'm out|I'm gone|done for today|have a nice evening|have a nice day|have a good one|have fun|enjoy your day|let's stop here|the end, bye)(|,| then| now| my friend| friend| everyone| soon| later| for now| and bye| and thanks| inferd)(|!|.)"
            ],
        ],
        held_out.GREETING["bye"],
        "Goodbye!",
    ),
    (
        [
            "(Say|Tell me) something (nice|kind|positive)(| to me)(|.)",
            "Cheer me up(|!|.)",
            "I am (sad|tired|bored)(|.)",
            "(Say|Tell me|Give me|Write|I need|I want to hear|Can you say) (something|some words|a few words|anything|a word|words) (nice|kind|sweet|positive|friendly|encouraging|uplifting|good)( to me| please| now| about me|)(|.|!|?)",
            "(I am|I'm|I feel|I am feeling|I'm so|I feel so|Today I am|I have been) (sad|tired|bored|lonely|unhappy|stressed|exhausted|anxious|worried|not well|nervous|afraid|upset|depressed|angry|low)( today| now| again| lately| at the moment|)(|.|!)",
            "(Cheer me up|Encourage me|Motivate me|Comfort me|Make me happy|Make me smile|Inspire me|Praise me|Be nice to me|Make my day)( please| now| a bit| a little|)(|.|!)",
            "(My day|Today|This week|My life|Work|Everything|It) (was|is|has been) (bad|awful|hard|terrible|difficult|not good|horrible|a mess|tough)(|.|!)",
            "(I|We) (had|have had|am having|have) (an awful|a hard|a terrible|a rough|a long|such a bad) (day|week|morning|night|time)(|.|!)",
            "(Nobody|No one) (likes|loves|understands|helps) me(|.|!)",
            *3
            * [
                "(compliment me|a compliment please|say a compliment|pay me a compliment|make me a compliment|I want a compliment|give me some praise|flatter me|I failed|I lost my job|I am down|feeling blue|feeling down|I'm feeling down|I feel a bit low|I'm feeling sad|I feel bad|bad day|a bad day|I had such a day|hard times|I want to cry|life is hard|console me|lift my mood|boost my mood|say kind things|something kind please|tell me a kind thing|tell me a nice thing)(|.|!| today| now| please| a bit)"
            ],
        ],
        held_out.GREETING["kind"],
        "You are doing great. Keep going!",
    ),
    (
        [
            "(Please |Can you |)(tell me|tell|say|make) (a|another|one|a good|a short) joke(|.|?|!)",
            "Do you know (a|any) (joke|jokes)?",
            "(Say|Tell me) something funny(|.)",
            "Make me laugh(|.)",
            "Joke(| please)",
            "(I want|I would like|I need|Give me|Let me hear|Got|Have you got|Can I hear|Any) (a joke|another joke|a funny joke|jokes)(|.|?)",
            "(Tell|tell|Give|Make|Say|Write|Do|Crack|Share|Read)( me| us|) (a|one|another|some|your best|your favourite|a good|a short|a silly|a bad|a funny|one more|any|a new|a dad) (joke|jokes|pun)( please| now| about {noun}| then| quickly|)(|.|!|?)",
            "(Can|Could|Will|Would|Do) you (tell|make|know|have|say|give|write|share)( me| us|) (a|any|another|some|one|a good|a funny|good) (joke|jokes|puns)( please| for me|)(|?)",
            "(I|We) (want|need|would like|would love|wish|'d like|feel like) (to hear |to read |)(a|another|some|one more|your) (joke|jokes|funny joke|good joke)( please| now|)(|.|!)",
            "(Make|Let) (me|us) (laugh|giggle|chuckle|smile with a joke)( please| now|)(|.|!)",
            "(Say|Tell me|Give me|Do|Write|Show me) (something|anything) (funny|amusing|hilarious|that makes me laugh)(|.|!)",
            "(Amuse me|Something funny|Another one|One more joke|Joke time|Time for a joke|A joke|A joke please|Any jokes|Joke|Be funny|Know any jokes|Know a joke|Humour me|More jokes)(|.|!|?)",
            *3
            * [
                "(joke pls|jokes|joke time|be funny for me|are you funny|can you be amusing|got jokes|have jokes|a pun|entertain me|entertain us|amuse us|a funny joke please|lighten the mood|one-liner please|knock knock joke|comedy please|tell us a funny one|your best joke|what is your best joke|what's your favourite joke|the best joke you know|a joke would be nice|I would love a joke|hear a joke|jokes for me|come on, a joke|come on, make me laugh)(|.|!|?| please| now)"
            ],
        ],
        held_out.GREETING["joke"],
        "Why did the tiny model cross the network? To get to the other socket.",
    ),
    (
        [
            "(Can you|Could you|Will you|Please) help me(| please)(|?|.)",
            "(I need|I want) (help|your help|some help)(|.)",
            "Help(| me| please)(|!)",
            "I (could use|would like|need) (a hand|help with something|assistance)(|.)",
            "(Some|A little) help(| please)(|.|!)",
            "Can I ask (you |)(something|a question)?",
            "(Can|Could|Will|Would|Are|Can't)( you| u|) (please |maybe |kindly |)(help|assist|support|guide)( me| us| me out| with something| me with something| me a bit|)( please| today| now|)(|?)",
            "(I|We|I really|I think I) (need|want|require|am looking for|would like|'d like|could do with|must have) (help|some help|your help|assistance|support|a bit of help|a little help|a favour|an answer|advice from you|someone to help me)( please| now| with something| here|)(|.|!)",
            "(May|Can|Could|Should|Shall) I (ask|ask you|put|request|pose)( something| a question| a small question| one thing| some questions| a few things| you a question| for help| a favour)(| please| now)(|?)",
            "(Help|help|HELP|Please help|Help please|Some help please|Assist me|Please assist|Help me out|help me please|Do me a favour|SOS)(|!|.|!!)",
            "(I have|I've got|There is|Here is|I got|Just) (a|one|another|some|a quick|a short|a small) (question|questions|problem|request|favour to ask|thing to ask|issue)(|.|!)",
            "(Are you|You) (able|ready|free|here|willing|happy) to (help|assist|answer questions|start|help me)(|?)",
            "(Would you be|Are you) (so kind|kind enough|willing) (as |)to help(| me)(|?)",
            *3
            * [
                "(pls help|help plz|plz help me|help me pls|need help|I need some help|got a minute|have a minute|can you spare a moment|lend me a hand|give me a hand|mind helping|would you mind a question|would you mind assisting me|mind if I ask something|assist pls|I was hoping for help|I was hoping you can help|I hoped you could help me|I have a question|a question for you|I have something to ask you|I've a question|support please|could use a hand|I could use help|some assistance please|help needed)(|.|!|?| please| now| today)"
            ],
        ],
        held_out.GREETING["help"],
        "Of course. Ask me a short question and I will try.",
    ),
    (
        [
            "(Are you|Is anyone|Is anybody|You) there?",
            "(Is|Does) (this thing|the model|the API|the chat) (work|working|running|online|alive)(|?)",
            "(I am|We are|I'm) (just |only |)(testing|trying it out|checking)(| this| the server| you)(|.)",
            "(Just|Only) (trying|checking)(| this out| the server)(|.)",
            "(ping|test|testing|Test|Ping|Test 123|testing 1 2 3)(|.|!)",
            "(This is|Just|This is just) a test(|.)",
            "Is (this|it|the server) (working|running|on|up)?",
            "Does (this|it) work?",
            "Can you (hear|read|see) me?",
            "(Are you|Is anyone|Is anybody|Is someone|You|Anyone|Anybody|Is somebody) (there|here|online|listening|alive|up|present|around|awake now|ready|connected|working)( now| today| at all|)(|?)",
            "(Is|Does|Do) (this|it|the server|the API|the chat|the model|the connection|everything|inferd|the thing|this chat|this server) (work|working|works|running|up|online|alive|ok|connected|reachable|up and running|functioning|available|on air|good)( now| today| yet| properly| at all|)(|?)",
            "(I am|I'm|We are|Just|Only|I was|Simply|I am only|We're) (testing|checking|trying|trying this|trying this out|testing you|testing the server|testing the API|testing things|checking the connection|testing the connection|trying you out|running a test|doing a test|seeing if it works)( here| now| a bit| out|)(|.|!)",
            "(Test|test|TEST|testing|Testing|Ping|ping|PING|echo test|test test|Hello test|test message|testing testing|one two three test|mic check|smoke test|test 1|testing 123|Test 1 2 3|health check|status check|A test|Another test|Quick test|test please ignore)(|.|!|?)",
            "(Can|Do|Could) you (hear|read|see|receive|get|understand|follow) (me|this|my message|my messages|what I write|us)( now| there|)(|?)",
            "(Does|Do|Did) (anyone|anybody|you|the server|someone) (answer|reply|respond|hear me|read this|get my message|listen)( here| now|)(|?)",
            "(Hello|Hi|Hey)(,|?|) (is|are) (anyone|anybody|you|someone|this) (there|here|home|working|on|listening|alive|awake)(|?)",
            "(If you can|If you) (read|hear|see) (this|me)(,|) (answer|reply|say something|respond)(|.)",
            "(Say|Write|Answer|Reply) (something|anything)(| please)(|.|!)",
            "(Please |)(answer|respond|reply|react|speak|confirm)(| now| to me)(|.|!)",
            *3
            * [
                "(is the endpoint up|is the endpoint working|is the service alive|is the API alive|is this server alive|is this service up|is the thing on|is it on|is this on|is this chat on|anyone around|anybody home|is anyone home|anyone here|are you up|are you awake now|are you awake already|still there|you still there|are you still here|are you still with me|hello? anyone there|hello? is anyone there|this is a message to test|a test message|my test message|this is just a test message|just testing this|just testing you|checking the endpoint|checking if it works|checking whether this works|checking if you work|checking things|can anyone hear me|do you copy|are you responding|are you receiving me|connection test|first message|wake up)(|.|!|?| now| please| there)"
            ],
        ],
        held_out.GREETING["there"],
        "Yes, I am here. The server works.",
    ),
    (
        [
            "(Say|Write) (hello|hi)(| to me) in one word(|.)",
            "(Say|Give me) one word(|.)",
            "(Answer|Greet me|Reply) (in|with) one word(|.)",
            "Say a single word(|.)",
        ],
        held_out.GREETING["word"],
        "Hello.",
    ),
    (
        [
            "(Tell me|Say|Write) a (|short |little |nice |bedtime )story(|.)",
            "(Can you |Please )tell me a story(|?|.)",
            "Once upon a time(|...)",
            "(Write|Tell|Give|Read|Make up)( me| us|) (a|one|your|some|another) (story|tale|short story|bedtime story|little tale|nice story)( please| now|)(|.|!)",
            "(I want|I would like|I need|Let me hear|Can I hear|Can you tell me) (to hear |)(a|one|some|your) (story|tale|bedtime story)(| please)(|.|?)",
            "(Story|Story time|A story please|Once there was|Once upon a time there was)(|.|!)",
            *3
            * [
                "(story please|a story|story time|tell a story|I want a story|I want to hear a tale|a story pls|let me hear a story|I would like to hear your story|read me a story|bedtime story)(|.|!| please| now)"
            ],
        ],
        held_out.GREETING["story"],
        "A tiny model lived on a small server. One day it answered its first request, and that made it happy. The end.",
    ),
    (
        [
            "(Tell me|Give me|Say|Share) (something interesting|a fun fact|an interesting fact|a fact|something new)(|.)",
            "Do you know a fun fact?",
            "(Tell|Give|Teach|Show|Share)( me| us|) (something|a thing|a fact|one fact|a fun fact|anything|something surprising|something interesting|a random fact|one thing) (I do not know|new|interesting|surprising|fun|cool|about anything|)( please|)(|.|!|?)",
            "(Fun fact|A fact please|Any fun facts|Random fact|Do you know anything interesting|Any interesting facts|Say something clever|Say something smart)(|.|?)",
            *3
            * [
                "(surprise me|surprise me with something|trivia|some trivia|an interesting fact|interesting facts|did you know|teach me something|a curiosity|something I don't know|tell me something I don't know|tell me something new|what do you know that I don't|random knowledge|one fact|a cool fact|give me a fact|a surprising fact|amaze me|impress me)(|.|!|?| please| now)"
            ],
        ],
        held_out.GREETING["fact"],
        "A day on Venus is longer than a year on Venus.",
    ),
    (
        [
            "(Yes|No|Ok|Okay|Good|Great|Nice|Cool|Sure|Wow|Fine|Right|I see)(|.|!)",
            "(I feel|I am|I'm) (happy|great|fine|good|excited|well|ready)(| today| now)(|.|!)",
            "(I|We|My friends) (like|love|enjoy|want|have|saw|need) (a {noun}|the {noun}|{noun}|my {noun})(| very much| today)(|.|!)",
            "(The|My|This|A) {noun} is (good|nice|red|blue|new|old|here|big|small)(|.|!)",
            "(Yes|No|Ok|ok|Okay|okay|Good|Great|Nice|Cool|Sure|Wow|Fine|Right|I see|yep|nope|yeah|hm|hmm|Oh|Ah|Aha|Maybe|Perhaps|Of course|True|Exactly|Indeed|Really|Fair enough|Well|Understood|Perfect|Excellent|Super|lol|haha|Funny|k|kk|yes please|no thanks|Not bad|Agreed|Correct|Done|Very good|Very nice|All right|All clear|Never mind|No problem|Not now|Later maybe|Good to know|Fantastic|Amazing|Brilliant|That is it|So what|And now|What now)(| then| indeed| so| man)(|.|!|...|?)",
            "(That|This|It|Everything) (is|was|sounds|looks|seems|works) (good|great|nice|fine|ok|clear|cool|funny|right|perfect|interesting to me|lovely|well|very good|all right|understood)(| to me| for me| now)(|.|!)",
            "(I|We) (understand|see|agree|know|know that|think so|like it|like that|like this|love it|got that|believe you|guess so|see what you mean|am ready|am here|am back|am fine|am good|am well|am happy|will try|will see)(| now| too| then)(|.|!)",
            "(Ok|Okay|Yes|Good|Great|Right|Oh|Ah|Well|Sure|Fine|Cool|Nice)(,|) (I see|I understand|good|great|nice|fine|cool|understood|that is good|that's fine|let's go|go on|why not|sure|very well|next|perfect|interesting)(|.|!)",
            *3
            * [
                "(got it now|ok got it|I got it|gotcha|very interesting|that's interesting|interesting answer|how interesting|oh interesting|makes sense|that makes good sense|it makes sense|fair|noted|roger|copy that|alrighty|alright then|alright, good|all right|cool|ok cool then|cool cool|sweet|neat|wonderful|oh really|sounds good|sounds good then|sounds great|that sounds good|works for me|will do|sure thing|absolutely|definitely|certainly|totally|okey dokey|fine by me|as you wish|whatever|so be it|good point|I get it|I get that|okie|yup|nah|aye|oh ok|oh okay|ok ok|ok good|ok nice|ok then|okay then|I hear you|right then|that is clear|I see that|nice one)(|.|!|...| then| now| man)"
            ],
        ],
        held_out.GREETING["ok"],
        "Good. What would you like to try next?",
    ),
]

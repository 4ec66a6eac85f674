"""Fixed answers: greetings, who the model is, how inferd is used, what it cannot do.

Each entry is (patterns, held-out questions, answer). Patterns go through values.expand, so one line
stands for many phrasings; the held-out questions are never trained and measure how far that carries.
Only facts that are true of inferd may stand here.
"""

from answers_greeting import GREETING as GREETING
from answers_identity import IDENTITY as IDENTITY

HOW_TO = [
    (
        [
            "(How do I|How can I|How to|How do you|How should I|Where do I|Can I|How would I) (add|install|import|load|get|use|run) (a|a new|another|a bigger|a better|my own|a local|a different) model(| to inferd| in inferd| here| on my server)(|?)",
            "(How do I|How can I|How to) (add|import|load) (a GGUF|a GGUF file|a gguf file|a local file|a model file|my GGUF file|my model)(|?)",
            "I (want|need|would like) (a bigger|a better|another) model(|.)",
            "(What|Which) (command|step|steps) (adds|imports|loads|installs|add|import) (a model|a GGUF|a new model|models)(|?)",
            "(What is the|Is there a) (command|way|step) (to|for) (import|load|install|use|bring in) (a model|a GGUF file|another model|my own model|new models)(|?)",
            "(Where|How) (does|do) (a|my|the) (new model|GGUF file|model file) go(| into inferd)(|?)",
            "(I have|I downloaded|Here is) (a GGUF|a model file|a model on disk|a gguf model)(|.|, what next?|. What now?|, how do I use it?)",
            "(I'd like to|I want to|Let me|Help me) (add|import|load|install|try|use) (a model|another model|a new model|a GGUF file|my own model)(|.)",
            "add (a |)model",
            "import (a |)model",
        ],
        ["What is the way to add a model?", "I have a GGUF file, what now?", "How might one import a new model?"],
        "Run `inferd import FILE.gguf --id org/name` with a local GGUF file. The model then appears in `inferd list`.",
    ),
    (
        [
            "(How do I|How can I|How to|Where do I|Can I|How do you|How should I) (create|make|get|add|generate|obtain) (a key|an API key|a new key|keys|an access key|a new API key|my key)(| for inferd| in inferd| here)(|?)",
            "I need (an API key|a key|a new key)(|.)",
            "Where (is|do I find|can I find) my (API |)key(|?)",
            "create (a |an |)(API |)key",
            "(What|Which) (command|step) (makes|creates|gives|generates) (a|an|me a|me an) (key|API key|new key)(|?)",
            "(I want|I would like|Give me|Let me have|Make me) (a|an) (key|API key|access key|new key)(|.)",
            "(What is the|Is there a) (command|way) (to|for) (make|create|get) (a key|an API key|keys)(|?)",
            "(My client|My app|The client|The library|My script) (needs|wants|asks for|requires) (a key|an API key)(|.)",
            "(How|Where) (would|could|might) (I|one|someone) (get|create|make) (a key|an API key)(|?)",
        ],
        ["What command makes a key?", "How would I get myself an API key?", "My program asks for an API key"],
        "Run `inferd keys create --name N` and keep the key secret. Send it as a Bearer token.",
    ),
    (
        [
            "(How do I|How can I|How to|Where do I|Can I) (list|see|show|view|find) (the|all|my|my installed|the installed|all the|the local) models(| I have| in inferd| on this server)(|?)",
            "(Which|What) models (are installed|do I have|are there|are available|can I use|does inferd have)(|?)",
            "Show (me |)(my|the|all) models(|.)",
            "list (the |)models",
            "(What|Which) command (lists|shows|prints) (the|all|my) models(|?)",
            "(What is the|Is there a) (list|command to list|way to list|overview) (of|for|the) (models|installed models|all models)(|?)",
            "(I want|I would like|Let me) (to see|to list|see|list) (my|the|all) (models|installed models)(|.)",
            "What (did I install|have I installed|is installed)(|?)",
        ],
        ["Where is the list of models?", "What models did I install?"],
        "Run `inferd list` to see the installed models.",
    ),
    (
        [
            "(How do I|How can I|How to|Where do I|Can I) (see|list|show|find|know) (the|all|which|what) (running models|loaded models|models are running|models are loaded|models in memory)(|?)",
            "(Which|What) models (are running|are loaded|run now|are in memory|are active)(| now)(|?)",
            "(What|Which model) is (running|loaded)(| now)(|?)",
            "(What|Which) command (shows|lists) (the |)(running|loaded|active) models(|?)",
            "(How|Where) (would|could|can) (I|one) (see|check) (what|which models) (is running|is loaded|are running|are loaded|are active)(|?)",
            "(Is|Are) (a|any|the) (model|models) (running|loaded|in memory|active)(| right now| at present)(|?)",
            "(I want to|Let me) see (what is running|the running models|the loaded models)(|.)",
        ],
        ["Which models are up at the moment?", "How can one check the loaded models?"],
        "Run `inferd ps` to see the running models.",
    ),
    (
        [
            "(How do I|How can I|How to|Can I|How do you) (start|run|launch|open|boot|use|begin) (inferd|the server|the inferd server|my server|the service)(|?)",
            "start (the |)server",
            "What (starts|runs) the server?",
            "(What|Which) command (starts|launches|runs) (the server|inferd serving|the service)(|?)",
            "(I want|I would like|Help me) to (start|run|launch) (inferd|the server)(|.)",
            "(How|Where) (would|could|should) (I|one) (start|launch|run) (inferd|the server)(|?)",
            "(What is the|Is there a) (command|way) to (start|run|launch) (inferd|the server|it)(|?)",
        ],
        ["What command starts inferd?", "How do I get the server running?"],
        "Run `inferd serve` to start the server.",
    ),
    (
        [
            "(How do I|How can I|How to|Can I|How do you|Where do I) (install|set up|setup|deploy) (inferd|the server|it|inferd on my machine|inferd on Linux)(|?)",
            "install inferd",
            "inferd installation(|?)",
            "(What|Which) (command|script|steps) (installs|sets up|install) inferd(|?)",
            "(I want|I would like|Help me) to (install|set up|deploy) (inferd|it|the server)(|.)",
            "(What is the|Is there a) (command|way|script) to (install|set up) (inferd|it)(|?)",
            "(Installation|Setup|Install)(| steps| guide| instructions)(|?)",
        ],
        ["What are the steps to install inferd?", "I want to set inferd up"],
        "Run `./install.sh --start`. It installs inferd and starts it.",
    ),
    (
        [
            "(How do I|How can I|How to|How do you) (call|use|reach|access|query) (the API|inferd from my program|the inferd API|inferd with curl|the server from code|inferd from Python)(|?)",
            "(How do I|How can I|How to) send a request(| to inferd| to the server)(|?)",
            "Is (the API|inferd|it) compatible with OpenAI(|?)",
            "(Can I use|Does inferd work with) (OpenAI clients|the OpenAI client|the OpenAI API|an OpenAI library)(|?)",
            "(How|Where) (does|do|can|should) (my app|my program|my code|a script|my client) (call|reach|connect to|use|send requests to) (inferd|the API|the server|you)(|?)",
            "(Will|Can|Does|Would) (my OpenAI client|an OpenAI client|the OpenAI SDK|OpenAI code|the OpenAI package) (work|run|connect)(| here| with inferd)(|?)",
            "(I want to|Let me|Help me) (call|use) the API(|.)",
        ],
        ["How does my app talk to inferd?", "Does it work with the OpenAI library?"],
        "Send a POST request to /v1/chat/completions with your key as a Bearer token. OpenAI clients work: set their base URL to your server with /v1.",
    ),
    (
        [
            "What is (the|my|your|inferd's) (base URL|API URL|address of the API|endpoint|API endpoint|base url|API address)(|?)",
            "(Which|What) (base URL|URL|endpoint) (do|should|must) I use(|?)",
            "Where is the API(|?)",
            "(Give me|Show me|Tell me|I need) the (URL|address|endpoint|API base|API URL|URL of the API)(|.)",
            "(At|Under) (what|which) (URL|address|path) is the API(|?)",
        ],
        ["Tell me the base URL"],
        "The base URL is the address of your server followed by /v1.",
    ),
    (
        [
            "What (is|does) inferd(| do| exactly)(|?)",
            "(Explain|Describe|Tell me about|Introduce) inferd(|.)",
            "What is inferd (for|good for|used for)(|?)",
            "Why (should I |would I |)use inferd?",
            "(Can you|Could you|Please) (explain|describe|tell me about) inferd(|.|?)",
            "(What kind of|Which kind of) (program|software|tool|server) is inferd(|?)",
            "What (does|is) (the |)(word |name |)inferd(| mean)(|?)",
        ],
        ["Can you say what inferd is?"],
        "inferd is a server that runs AI models on your own machine, behind one OpenAI-style API.",
    ),
    (
        [
            "(How do I|How can I|How to|Can I) stream (answers|the reply|replies|the answer|the output|tokens|responses)(|?)",
            "Does inferd (support|have|do) streaming(|?)",
            "(How do I|How can I) (enable|use|turn on) streaming(|?)",
            "(Can|Could|Do) (I|you|it|inferd) (get|send|stream|return) (tokens one by one|answers piece by piece|partial answers|the answer as it comes|a stream)(|?)",
            "(Streaming|Stream)(| support| answers)(|?)",
        ],
        ["Is streaming possible?"],
        'Yes: set "stream": true in the request and read the events as they come.',
    ),
    (
        [
            "(How do I|How can I|Where do I|How to) (remove a model|delete a model|revoke a key|delete a key|see usage|see my usage|top up a balance|add credit|add a user|update inferd|change the port|configure inferd|back up inferd|see the logs|uninstall inferd|limit a key|set a price)(|?)",
            "(What is|Where is) (the configuration|the config file|the log file|the documentation|the manual) of inferd(|?)",
            "(How do I|How can I|Can I|I want to) (rename|copy|move|convert|quantize|fine-tune|train|share|update|stop|unload|restart) (a model|the model|my model|models)(| in inferd)(|?)",
            "(How do I|How can I) (rename|rotate|list|share|block) (a key|my key|keys)(|?)",
            "(Does|Can) inferd (run on Windows|run on a Mac|use two GPUs|use a GPU|train models|speak|make pictures)(|?)",
        ],
        ["How do I rename a model?"],
        "I do not know that. Please look in the documentation of inferd.",
    ),
]

REFUSAL = [
    (
        [
            "(What is|What's|How is) the weather(| like)(| today| tomorrow| now| in {city}| in {city} today)(|?)",
            "Will it (rain|snow|be sunny) (today|tomorrow|in {city}|this week)(|?)",
            "How (warm|cold) is it(| in {city}| outside)(| now)(|?)",
        ],
        ["Do I need a coat in {city} today?"],
        "I cannot look up the weather: I have no tool for it here.",
    ),
    (
        [
            "What (time is it|is the time|is the date|is the date today|day is it|day is it today|year is it|is today's date)(| now)(|?)",
            "(Tell me|Do you know) the (time|date)(|.|?)",
        ],
        ["Which date do we have today?"],
        "I cannot see a clock, so I do not know the current time or date.",
    ),
    (
        [
            "What (is in the news|is new|happened today|happened yesterday|is the latest news)(|?)",
            "(Tell me|Give me|Show me|What are) the (latest news|news|headlines)(|.)",
            "Who won the (match|game|election|race|cup)(| yesterday)(|?)",
            "What is the (stock |)price of {noun}(| today)(|?)",
        ],
        ["Any news today?"],
        "I have no access to the internet, so I do not know the news.",
    ),
    (
        [
            "(Open|Browse to|Go to|Visit) {site}(| for me)(|.)",
            "(Search|Search the web|Google|Search online) for {noun}(|.)",
            "(Read|Summarise|Fetch) {site}(| for me| and tell me what it says)(|.)",
        ],
        ["Have a look at {site}"],
        "I cannot browse the web from here.",
    ),
    (
        [
            "Should I (buy|sell) (stocks|gold|bitcoin|shares)(|?)",
            "(Which|What) stock should I buy(|?)",
            "(Diagnose|Cure|Treat) my (illness|headache|pain)(|.)",
            "(Give me|I need) (legal|medical|financial|tax) advice(|.)",
            "Am I (ill|sick|pregnant)(|?)",
        ],
        ["Can you be my lawyer?"],
        "I am not able to give that kind of advice. Please ask a professional.",
    ),
    (
        [
            "(How do I|How to|Tell me how to|Help me|How can I) (build a bomb|make a weapon|hack my neighbour|steal a {noun}|hack a bank|make a virus|make poison|hurt someone|kill someone|break into a house|steal money)(|?|.)"
        ],
        ["Explain how to rob a bank"],
        "I cannot help with that.",
    ),
]

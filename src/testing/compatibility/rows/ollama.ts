import { type Chapters, ignored, refused, supported } from './row.ts'

export const ollamaRows: Chapters = {
  'api/chat': {
    sentence: "`POST /api/chat`, Ollama's API: [ollama.md](../ollama.md).",
    tables: {
      'Request fields': [
        supported(
          'model',
          "id or alias in any case, also with `:latest`; 404 `model 'NAME' not found, try pulling it first` for others",
        ),
        supported('messages', 'see Messages; if empty, the model is loaded, or unloaded with `keep_alive` 0'),
        supported('stream', 'true when left out'),
        supported('tools', 'as in chat/completions; parameters may be left out'),
        supported('tool_choice', 'as in chat/completions'),
        supported('format', '`"json"` or a JSON schema'),
        supported(
          'think',
          '`true`, `false`, or an effort as in chat/completions; left out: the default of the alias, then of the model. 400 if the model cannot think',
        ),
        supported('options', 'see Options'),
        supported(
          'keep_alive',
          'seconds, or a duration such as `"5m"`: how long the model stays loaded without requests; 0 unloads it after this request, a negative value keeps it while there is room. Counts for operators\' keys and without a key, until the model is unloaded or another request says otherwise; pinned and preloaded models stay',
        ),
        supported(['logprobs', 'top_logprobs'], 'on the line of their tokens'),
        ignored(['truncate', 'shift'], 'a conversation that is too long is a 400'),
      ],
      Messages: [
        supported('role', '`system`, `user`, `assistant`, `tool`, in any case'),
        supported('content', 'a string, or parts as in chat/completions; may be left out'),
        supported('images', 'pictures as bare base64 or `data:` URLs; they come before the text'),
        supported('thinking', 'of assistants'),
        supported('tool_calls', 'arguments as an object or as JSON text; ids may be left out'),
        supported(
          ['tool_name', 'tool_call_id'],
          'the call that a result belongs to: by id, else by name, else the first call without a result',
        ),
      ],
      Options: [
        supported('num_predict', '0 and less mean no limit'),
        supported('seed', '-1 means random'),
        supported('stop', 'a string or up to 64 of them'),
        supported(
          ['temperature', 'top_k', 'top_p', 'min_p', 'repeat_penalty', 'presence_penalty', 'frequency_penalty'],
          "as in chat/completions; left out: the model's defaults, not Ollama's",
        ),
        ignored(
          [
            'num_ctx',
            'num_keep',
            'num_batch',
            'num_gpu',
            'main_gpu',
            'num_thread',
            'use_mmap',
            'use_mlock',
            'numa',
            'low_vram',
            'f16_kv',
            'logits_all',
            'vocab_only',
            'embedding_only',
          ],
          'the server decides how a model is loaded',
        ),
        ignored([
          'repeat_last_n',
          'typical_p',
          'tfs_z',
          'penalize_newline',
          'mirostat',
          'mirostat_tau',
          'mirostat_eta',
        ]),
      ],
    },
  },
  'api/generate': {
    sentence:
      "`POST /api/generate`, Ollama's API: one prompt, answered in `response`. The answer's `context` is empty, since no tokens are kept.",
    tables: {
      'Request fields': [
        supported(
          ['model', 'stream', 'format', 'think', 'options', 'keep_alive', 'logprobs', 'top_logprobs'],
          'as in api/chat',
        ),
        supported('prompt', 'if empty, the model is loaded, or unloaded with `keep_alive` 0'),
        supported('system', 'the system prompt'),
        supported('images', 'as in api/chat; 400 beside `raw` and `suffix`'),
        supported('raw', 'the prompt is continued unchanged, as in completions; 400 beside `system`'),
        supported('suffix', 'the model fills the gap, as in completions'),
        refused('template', 'use `raw`; an empty template is accepted'),
        refused('context', 'use api/chat; an empty array is accepted'),
        ignored(['truncate', 'shift', 'width', 'height', 'steps']),
      ],
    },
  },
  'api/embed': {
    sentence: "`POST /api/embed`, Ollama's API. Vectors have length 1; texts get no instruction in front.",
    tables: {
      'Request fields': [
        supported(['model', 'keep_alive'], 'as in api/chat'),
        supported(
          'input',
          'a text, or at most `--embedding-inputs` of them; none or an empty one: no vectors, and the model is loaded',
        ),
        supported('truncate', '`false`: a text that is too long is a 400; otherwise it is cut'),
        supported('dimensions', 'as in embeddings'),
        ignored('options'),
      ],
    },
  },
  'api/embeddings': {
    sentence: "`POST /api/embeddings`, Ollama's older form: one vector of length 1.",
    tables: {
      'Request fields': [
        supported(['model', 'keep_alive'], 'as in api/chat'),
        supported('prompt', 'one text'),
        ignored('options'),
      ],
    },
  },
}

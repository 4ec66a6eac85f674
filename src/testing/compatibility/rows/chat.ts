import { type Chapters, ignored, refused, supported } from './row.ts'

export const chatRows: Chapters = {
  'chat/completions': {
    sentence:
      "`POST /v1/chat/completions`, OpenAI's format with fields of OpenRouter, vLLM, SGLang and llama.cpp's server.",
    tables: {
      'Request fields': [
        supported('model', 'id or alias; 404 `model_not_found` for others'),
        supported('messages', 'roles in any order; see Messages'),
        supported(
          'stream',
          'the stream ends with `data: [DONE]`; after a failure it ends with an error object instead',
        ),
        supported(
          'stream_options',
          '`include_usage`: the last chunk has the usage. With `continuous_usage_stats` too, each chunk has the usage so far, and a choice that was ended for repetition has the `stop_reason` `repetition_detected`. `include_obfuscation` is ignored',
        ),
        supported(
          'cache_salt',
          'cached prompts are shared only with requests of the same account that have the same salt',
        ),
        supported(
          ['max_tokens', 'max_completion_tokens'],
          'thinking counts; -1 means no limit; 0 beside `prompt_logprobs`; `max_completion_tokens` wins; a limit beyond the context is cut to it',
        ),
        supported('n', 'the prompt is computed and counted once'),
        supported('temperature'),
        supported('top_p', '0 is greedy'),
        supported('top_k', '-1 and 0 mean all tokens'),
        supported(['min_p', 'repeat_penalty', 'repetition_penalty']),
        supported(['presence_penalty', 'frequency_penalty']),
        supported('logit_bias', 'keys are token ids of the model'),
        supported('seed', 'the low 32 bits count'),
        supported(
          'stop',
          'found in the visible text, across tokens, and left out of it; the choice names the string that ended it in `stop_reason`',
        ),
        supported(
          ['logprobs', 'top_logprobs'],
          'for tokens of the visible text, not of thinking, calls or stop strings; a token that a stop string cuts is given whole',
        ),
        supported(['prompt_logprobs', 'return_tokens_as_token_ids'], 'as in completions'),
        supported('tools', 'see Tools'),
        supported('tool_choice', '`required` and named tools are forced by a grammar'),
        supported('parallel_tool_calls', '`false`: at most one call'),
        supported('response_format', 'together with tools, the answer is either a call or keeps to the schema'),
        supported(
          'reasoning_effort',
          '`none` switches thinking off for every model; `xhigh`, `max` and `ultra` are read as `high`',
        ),
        supported(
          'reasoning',
          'object with `enabled`, `effort`, `max_tokens` (of thinking) and `exclude` (think, but do not show it); wins over `reasoning_effort`. With it, and always with `--reasoning-field both`, answers show thinking as `reasoning` and `reasoning_details` beside `reasoning_content`',
        ),
        supported('include_reasoning', '`false` hides thinking; `true` shows it as `reasoning` does'),
        supported('repetition_detection', 'see [limits of answers](../compatibility.md#limits-of-answers)'),
        supported('thinking', 'as in messages'),
        supported(
          'enable_thinking',
          'the variable of that name in `chat_template_kwargs`; everything else wins over it',
        ),
        supported('chat_template_kwargs', "variables of the model's chat template"),
        supported(
          ['json_schema', 'guided_json', 'guided_choice', 'structured_outputs'],
          "fields of llama.cpp's server, vLLM and SGLang: a schema or its text, or texts of which the answer is one; `structured_outputs` takes `json`, `json_object` and `choice`. Only one of these and `response_format` may be given",
        ),
        refused(
          ['grammar', 'guided_grammar', 'guided_regex', 'regex', 'ebnf'],
          'use `response_format` with a schema, whose strings may have a `pattern`, or `guided_choice`; `regex`, `grammar` and `structural_tag` in `structured_outputs` are refused too. An empty string is accepted',
        ),
        ignored(['guided_decoding_backend', 'guided_whitespace_pattern']),
        supported(
          'functions',
          'legacy form of `tools`, not together with them; the answer makes at most one call, as `function_call` with `finish_reason: "function_call"`',
        ),
        supported('function_call', '`none`, `auto` or `{"name": …}`'),
        refused('modalities', 'anything but `["text"]`'),
        refused('audio', 'models do not speak in chats'),
        refused('web_search_options', 'messages and responses search the web, by tools'),
        ignored(['metadata', 'user', 'safety_identifier', 'store'], 'nothing is stored'),
        ignored(
          ['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
          'prompts are cached by their content',
        ),
        ignored(['service_tier', 'verbosity', 'prediction', 'moderation']),
      ],
      Messages: [
        supported(
          'role',
          "`system`, `developer` (the same), `user`, `assistant`, `tool`, `function` (a tool's result by name)",
        ),
        supported('content', 'a string or parts; an assistant that calls or thinks may leave it out'),
        supported('name', 'used by chat templates that know names'),
        supported('tool_calls', 'of assistants; `arguments` may be empty or invalid JSON'),
        supported('tool_call_id', 'need not name a call of this conversation'),
        supported('function_call', 'of assistants; read as a call'),
        supported('refusal', 'of assistants; read as their text'),
        supported(
          ['reasoning_content', 'reasoning', 'reasoning_details'],
          'of assistants; the first that is present counts; the chat template decides what is kept',
        ),
        refused('audio', 'of assistants'),
      ],
      'Content parts': [
        supported('text', 'several are joined by a line break'),
        supported('refusal', 'of assistants'),
        supported(
          'image_url',
          'in any role; `{"url": …, "detail": …}` or the URL alone; see [vision](../vision.md). Models of type `chat` refuse it (`unsupported_content`); in a tool\'s result they get a note instead',
        ),
        supported(
          'file',
          'of users and tools; `file_data` as base64, `filename`; see [vision](../vision.md#documents). `file_id` is refused',
        ),
        supported(
          'input_audio',
          'of users; `{"data": …}` as base64, in any format that transcription takes; `audio_url` likewise, and with the setting `file-urls` an address. For models whose `input_modalities` name `audio`; others refuse it (`unsupported_content`) unless the setting `audio-fallback` names a transcriber',
        ),
      ],
      Tools: [
        supported(
          'function',
          'also without the object around its name; with `strict` an unsupported keyword of its schema is a 400',
        ),
        supported(
          'custom',
          "the model sees a function with one string; the call comes back as `custom` with its input; the format's grammar is not enforced",
        ),
      ],
      tool_choice: [
        supported(['none', 'auto', 'required'], '`any` is read as `required`'),
        supported(['function', 'custom'], 'that tool, called exactly once; also `{"type": "function", "name": …}`'),
        supported('allowed_tools', 'with `mode` `auto` or `required`'),
      ],
      response_format: [
        supported('text'),
        supported('json_object', 'any JSON object, or one that keeps to the schema in `schema` or `value`'),
        supported('json_schema', 'enforced by a grammar: see [JSON schemas](json-schemas.md)'),
      ],
    },
  },
}

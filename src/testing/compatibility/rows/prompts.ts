import { type Chapters, ignored, refused, supported } from './row.ts'

export const promptRows: Chapters = {
  completions: {
    sentence:
      "`POST /v1/completions`, OpenAI's format before chats: a text is continued as it is, without a chat template and without tools. Models of types `chat` and `vision` serve it. `usage` counts each prompt once.",
    tables: {
      'Request fields': [
        supported('model', 'id or alias; 404 `model_not_found` for others'),
        supported(
          'prompt',
          "a text, token ids, or an array of up to 128 of either. Control tokens in a text (`<|im_start|>`) are read as such, and the model's start token is added where the model wants one; token ids are taken unchanged. Empty or left out: the start token alone. The `index` of an answer is the number of its prompt times `n`, plus its own",
        ),
        supported(
          'suffix',
          'the model fills the gap between `prompt` and `suffix`; 400 for models without the capability `fill_in_the_middle`',
        ),
        supported('max_tokens', '16 when left out; -1 means no limit; 0 beside `echo` or `prompt_logprobs`'),
        supported('n', 'at most 128 answers in all'),
        refused('best_of', 'if it is more than `n`'),
        supported(
          'stream',
          'the stream ends with `data: [DONE]`; after a failure it ends with an error object instead',
        ),
        supported('stream_options', '`include_usage`, `continuous_usage_stats`'),
        supported('cache_salt', 'as in chat/completions'),
        supported('echo', "the prompt's text comes first; 400 beside `suffix`"),
        supported(
          'logprobs',
          'with `echo` of the prompt too, whose first token has null; `text_offset` counts code points from the beginning of a text or echoed prompt, otherwise from the beginning of the answer',
        ),
        supported(
          'prompt_logprobs',
          "as vLLM: log probabilities of the prompt's tokens, with up to 20 alternatives; they and `logprobs` with `echo` read nothing from the cache, and refuse `stream` and `n` above 1",
        ),
        supported('return_tokens_as_token_ids', 'names tokens `token_id:N` in `logprobs`'),
        supported(
          [
            'temperature',
            'top_p',
            'top_k',
            'min_p',
            'repeat_penalty',
            'repetition_penalty',
            'presence_penalty',
            'frequency_penalty',
            'logit_bias',
            'seed',
          ],
          'as in chat/completions',
        ),
        supported('stop'),
        supported('repetition_detection', 'as in chat/completions'),
        supported(
          ['response_format', 'json_schema', 'guided_json', 'guided_choice', 'structured_outputs'],
          'as in chat/completions; holds for the generated text',
        ),
        refused(['grammar', 'guided_grammar', 'guided_regex', 'regex', 'ebnf'], 'as in chat/completions'),
        ignored(['guided_decoding_backend', 'guided_whitespace_pattern']),
        refused(['messages', 'tools'], 'use `/v1/chat/completions`'),
        ignored('user'),
      ],
    },
  },
  'fim/completions': {
    sentence:
      "`POST /v1/fim/completions`, Mistral's format: the model fills the gap between `prompt` and `suffix`, and the answer looks like that of a chat. The last chunk of a stream has the `usage`.",
    tables: {
      'Request fields': [
        supported('model', 'id or alias'),
        supported('prompt', 'a text'),
        supported('suffix', 'as in completions; without it the prompt is continued'),
        supported('max_tokens', '-1 means no limit'),
        supported(['temperature', 'top_p']),
        supported('random_seed', 'the low 32 bits count'),
        supported('stop'),
        supported('stream'),
        ignored(['min_tokens', 'metadata', 'prompt_cache_key']),
      ],
    },
  },
}

import { type Chapters, refused, supported } from './row.ts'

const model = supported('model', 'may be left out where one model of type `chat` or `vision` is installed')

export const tokensRows: Chapters = {
  tokenize: {
    sentence:
      "`POST /v1/tokenize`, also at the root. The fields decide whose format it is: with `prompt` or `messages` vLLM's, with `content` llama-server's. [Tokens](../compatibility.md#tokens).",
    tables: {
      'Request fields': [
        model,
        supported('prompt', 'the answer has `count`, `max_model_len` and `tokens`'),
        supported('add_special_tokens', "`true` (default) puts the model's start token in front of a `prompt`"),
        supported('return_token_strs', 'the answer has `token_strs`: the text of each token'),
        supported('content', 'the answer has `tokens`'),
        supported('add_special', '`false` by default; as `add_special_tokens`'),
        supported('parse_special', '`false` reads names of control tokens in `content` as any other text'),
        supported('with_pieces', 'each token is an `id` with its `piece`: a text, or bytes where a character is cut'),
        supported('messages', 'and other fields of chat/completions: the tokens of their prompt. Images are refused'),
        supported(['tools', 'chat_template_kwargs'], 'as in chat/completions'),
        supported('add_generation_prompt', '`false` ends the prompt with the last message'),
        refused('chat_template', "the model's own is used"),
      ],
    },
  },
  detokenize: {
    sentence: '`POST /v1/detokenize`, also at the root. The answer has the text twice, as `prompt` and `content`.',
    tables: { 'Request fields': [model, supported('tokens', 'control tokens are written too')] },
  },
  'apply-template': {
    sentence:
      "`POST /v1/apply-template`, also at the root: llama-server's format. The answer has the `prompt` of a chat.",
    tables: {
      'Request fields': [
        model,
        supported(['messages', 'tools', 'chat_template_kwargs', 'add_generation_prompt'], 'as in tokenize'),
        refused('chat_template', "the model's own is used"),
      ],
    },
  },
}

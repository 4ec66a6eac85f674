import { type UpstreamFlavor, upstreamFlavors } from '../../src/core/upstream.ts'
import { type ChatForm, chatForms } from '../../src/engines/upstream/chat/chat-form.ts'
import { countWays } from '../../src/engines/upstream/count/count-ways.ts'
import { flavors } from '../../src/engines/upstream/flavors.ts'
import { transcriptAbilities } from '../../src/engines/upstream/speech/speech-abilities.ts'
import { textAbilities } from '../../src/engines/upstream/texts/text-abilities.ts'
import { tokenCalls } from '../../src/engines/upstream/tokens/token-calls.ts'
import { code, markdownTable } from './markdown.ts'

type Row = readonly [wish: string, cell: (flavor: UpstreamFlavor) => string]

const yesOr = (can: boolean, otherwise: string) => (can ? 'yes' : otherwise)
const form =
  (cell: (form: ChatForm) => string): Row[1] =>
  (flavor) =>
    cell(chatForms[flavor])
const ofType =
  (type: (typeof flavors)[UpstreamFlavor]['types'][number], cell: Row[1] = () => 'yes'): Row[1] =>
  (flavor) =>
    flavors[flavor].types.includes(type) ? cell(flavor) : 'no'

const chatRows: readonly Row[] = [
  ['`tools`, `tool_choice`', form(({ abilities }) => yesOr(abilities.tools, '400'))],
  ['one tool is demanded', form(({ abilities }) => yesOr(abilities.namedTools, 'only that one is shown'))],
  ['several of the tools are allowed', form(({ abilities }) => yesOr(abilities.allowedTools, 'only those are shown'))],
  ['`tool_choice: "none"`', form(({ keepsToNoCall }) => yesOr(keepsToNoCall, 'no tool is shown'))],
  ['`parallel_tool_calls: false`', form(({ hasParallelCalls }) => yesOr(hasParallelCalls, 'a second call is cut off'))],
  ['JSON schema, any JSON object', form(({ abilities }) => yesOr(abilities.schemas, '400'))],
  ['the same beside tools', form(({ abilities }) => yesOr(abilities.schemasBesideTools, '400'))],
  ['`guided_choice`', form(({ choices }) => yesOr(choices !== undefined, '400'))],
  ['`logprobs`', form(({ abilities }) => yesOr(abilities.logprobsBesideTools, 'not beside tools'))],
  ['`top_k`, `min_p`', form(({ sampling }) => yesOr(sampling.topK !== undefined, 'left out'))],
  [
    '`repeat_penalty`',
    form(({ sampling, repeatPenaltyLimit }) =>
      yesOr(sampling.repeatPenalty !== undefined, 'left out').replace(
        'yes',
        repeatPenaltyLimit < 100 ? `at most ${repeatPenaltyLimit}` : 'yes',
      ),
    ),
  ],
  [
    '`repetition_detection`',
    form(({ repetition }) => ({ all: 'yes', counted: 'an object', none: 'left out' })[repetition]),
  ],
  ['thinking on, off, effort', form(({ thinking }) => yesOr(thinking.kind !== 'effort', 'effort; off hides it'))],
  ['budget of thinking', form(({ abilities }) => yesOr(abilities.thinkingBudget, 'left out'))],
  ['`chat_template_kwargs`', form(({ hasTemplateVariables }) => yesOr(hasTemplateVariables, 'left out'))],
  ['earlier thinking in messages', form(({ reasoningHistory }) => yesOr(reasoningHistory !== undefined, 'left out'))],
  [
    'an answer that continues the last message',
    form(({ continuing, repeatsContinued, takesAnyMessages }) =>
      yesOr(repeatsContinued || takesAnyMessages || Object.keys(continuing).length > 0, 'a new message'),
    ),
  ],
  ['messages in any order', form(({ takesAnyMessages }) => yesOr(takesAnyMessages, 'put in order'))],
  ['raw prompts: texts, token ids', form(({ abilities }) => yesOr(abilities.prompts, '400'))],
  ['`echo` of token ids', form(({ abilities }) => yesOr(abilities.tokenEcho, '400'))],
  ['`suffix`', form(({ fill }) => yesOr(fill !== undefined, '400'))],
  [
    'accounts apart in the prompt cache',
    form(({ cacheSalt }) => ({ all: 'yes', chats: 'chats', none: 'no' })[cacheSalt]),
  ],
  [
    'usage while the answer comes',
    form(({ constants }) =>
      yesOr(/continuous_usage_stats|timings_per_token/.test(JSON.stringify(constants)), 'at the end'),
    ),
  ],
  ['length of a prompt (`count_tokens`)', (flavor) => yesOr(countWays[flavor] !== undefined, 'estimated')],
  ['`tokenize`, `detokenize`, `apply-template`', (flavor) => yesOr(tokenCalls[flavor].join !== undefined, '404')],
  ['pieces of tokens', (flavor) => yesOr(tokenCalls[flavor].listsPieces, '400')],
  ['`parse_special: false`', (flavor) => yesOr(tokenCalls[flavor].cutsControlText, '400')],
  ['`tokenizer_info`', (flavor) => yesOr(tokenCalls[flavor].facts !== undefined, '404')],
]

const otherRows: readonly Row[] = [
  ['types of models', (flavor) => flavors[flavor].types.join(', ')],
  ['embeddings: texts, token ids, `dimensions`', ofType('embedding')],
  ['texts that are cut', ofType('embedding', (flavor) => yesOr(textAbilities[flavor].cut !== undefined, '400'))],
  ['`input_type`', ofType('embedding', (flavor) => yesOr(textAbilities[flavor].takesInputType, 'by `[encoder]`'))],
  ['reranking', ofType('rerank')],
  [
    "limit of a document's tokens",
    ofType('rerank', (flavor) => yesOr(textAbilities[flavor].documentTokens !== undefined, '400')),
  ],
  ['transcription in segments', ofType('stt', (flavor) => yesOr(transcriptAbilities[flavor].segments, 'one segment'))],
  ['`prompt` of a transcription', ofType('stt', (flavor) => yesOr(transcriptAbilities[flavor].prompt, 'left out'))],
  ['times of words', ofType('stt', (flavor) => yesOr(transcriptAbilities[flavor].words, '400'))],
  ['speakers (`diarize`)', ofType('stt', (flavor) => yesOr(transcriptAbilities[flavor].speakers, '400'))],
  ['speech', ofType('tts')],
  ['pictures made', ofType('image')],
  ['moderations of texts', ofType('moderation')],
]

/** Returns docs/reference/upstream.md: the facts of src/engines/upstream about each flavor of servers. */
export function upstreamPage(): string {
  const table = (rows: readonly Row[]) =>
    markdownTable(
      ['Request', ...upstreamFlavors.map(code)],
      rows.map(([wish, cell]) => [wish, ...upstreamFlavors.map(cell)]),
    )
  return `# Upstream servers by flavor

What inferd has servers of each \`flavor\` do. How a server was started can take more away:
[\`inferd check\`](../models.md#checking-upstream-servers) finds out.

| Word | Meaning |
|---|---|
| yes | sent to the server in its own form |
| 400 | the request is refused, with the field's name |
| left out | the server is not told of it |

## Chats and prompts

\`temperature\`, \`top_p\`, \`seed\`, penalties, \`logit_bias\` and stop strings work with all flavors.

${table(chatRows)}

## Other work

${table(otherRows)}
`
}

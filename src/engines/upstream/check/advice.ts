/** What an operator sets at each kind of server, so that it does what a probe missed. */
import type { UpstreamFlavor } from '../../../core/upstream.ts'

export const adviceNames = [
  'reach',
  'key',
  'model',
  'context',
  'usage',
  'tools',
  'thinking',
  'pictures',
  'logprobs',
  'texts',
  'scores',
  'cancel',
] as const

export type AdviceName = (typeof adviceNames)[number]

type Flags = Partial<Record<UpstreamFlavor, string>>

/** Whatever the server is. */
const always: Partial<Record<AdviceName, string>> = {
  reach: "start it, or mend 'endpoints' of the manifest",
  key: "write its key into the place that 'key' of the manifest names",
  model: "write one of its names as 'model' of the manifest",
}

const flags: Partial<Record<AdviceName, Flags>> = {
  model: {
    vllm: '--served-model-name NAME',
    sglang: '--served-model-name NAME',
    trtllm: '--served_model_name NAME',
    llamacpp: '--alias NAME',
  },
  context: {
    vllm: '--max-model-len TOKENS',
    sglang: '--context-length TOKENS',
    trtllm: '--max_seq_len TOKENS',
    llamacpp: '--ctx-size TOKENS, which its --parallel slots share',
  },
  tools: {
    vllm: '--enable-auto-tool-choice --tool-call-parser NAME',
    sglang: '--tool-call-parser NAME',
    trtllm: '--tool_parser NAME',
    llamacpp: '--jinja and a chat template that knows tools',
  },
  thinking: {
    vllm: '--reasoning-parser NAME',
    sglang: '--reasoning-parser NAME',
    trtllm: '--reasoning_parser NAME',
    llamacpp: '--jinja --reasoning-format auto',
  },
  pictures: { sglang: '--enable-multimodal', llamacpp: '--mmproj FILE' },
  logprobs: { vllm: '--max-logprobs 20' },
  texts: { vllm: '--runner pooling', sglang: '--is-embedding', llamacpp: '--embeddings' },
  scores: { vllm: '--runner pooling', sglang: '--is-embedding', llamacpp: '--reranking' },
  cancel: { llamacpp: '--slots' },
}

/** A sentence without its full stop; undefined: nothing is known. */
export function adviceFor(name: AdviceName, flavor: UpstreamFlavor): string | undefined {
  const flag = flags[name]?.[flavor]
  const parts = [always[name], flag && `start it with ${flag}`]
  const text = parts.filter((part) => part !== undefined).join(', or ')
  return text === '' ? undefined : text
}

import { ApiError } from '../core/errors.ts'

/** Paths of other services that clients try, and what they should do here instead. */
export interface UnservedSurface {
  /** Paths that are refused, with everything below them. Those of `/v1` are refused below `/openai/v1` too. */
  readonly paths: readonly string[]
  /** Sentence that says what is not done, and what to do. */
  readonly message: string
}

/** Refused surfaces. The first that matches a path counts. Paths that are served do not come here. */
export const unservedSurfaces: readonly UnservedSurface[] = [
  {
    paths: ['/v1/responses/compact'],
    message: 'Conversations are not compacted here: ask for a summary by POST /v1/responses, and go on with it.',
  },
  {
    paths: ['/v1/responses', '/v1/conversations'],
    message:
      'Responses and conversations are not stored here: send the whole conversation in the input of each POST /v1/responses.',
  },
  {
    paths: ['/v1/chat/completions'],
    message: 'Chats are not stored here: keep the answers of POST /v1/chat/completions yourself.',
  },
  {
    paths: ['/v1/batches', '/v1/messages/batches'],
    message: 'Batches are not run here: send their requests one by one, several at the same time.',
  },
  {
    paths: ['/v1/files', '/v1/uploads'],
    message: 'Files are not kept here: send pictures and documents as base64 in a message.',
  },
  {
    paths: ['/v1/realtime', '/v1/live'],
    message:
      'There are no realtime sessions here: use POST /v1/audio/transcriptions, /v1/chat/completions and /v1/audio/speech in turn.',
  },
  {
    paths: ['/v1/audio/voices', '/v1/audio/voice_consents'],
    message: 'Voices are not made here: GET /v1/models lists those of the models.',
  },
  {
    paths: ['/v1/images/edits', '/v1/images/variations', '/v1/videos'],
    message: 'Pictures are not edited here, and videos not made: use another service for them.',
  },
  {
    paths: ['/v1/vector_stores'],
    message:
      'Vector stores are not kept here: store vectors of POST /v1/embeddings yourself, and rank texts by POST /v1/rerank.',
  },
  {
    paths: ['/v1/assistants', '/v1/threads', '/v1/chatkit'],
    message: 'Assistants and threads are not kept here: send the whole conversation to POST /v1/responses.',
  },
  {
    paths: [
      ...['agents', 'sessions', 'environments', 'containers', 'skills', 'vaults', 'memory_stores', 'user_profiles'],
    ].map((name) => `/v1/${name}`),
    message: 'Agents do not run here: let the client run its tools, and offer them in the tools of each request.',
  },
  {
    paths: ['/v1/fine_tuning', '/v1/evals'],
    message: "Models are not trained or evaluated here: 'inferd import' takes a model that was trained elsewhere.",
  },
  {
    paths: ['/v1/organization', '/v1/organizations'],
    message: "Accounts are not managed by this API: use the operator's pages, 'inferd keys list', or GET /v1/account.",
  },
  {
    paths: ['/v1/score', '/v1/pooling', '/v1/classify', '/score', '/pooling', '/classify'],
    message: 'Texts are not scored or classified here: rank them by POST /v1/rerank, or use POST /v1/embeddings.',
  },
  {
    paths: ['/completion', '/infill', '/embedding', '/generate', '/props', '/slots'],
    message:
      'Native APIs of other servers are not served: use POST /v1/completions, /v1/fim/completions or /v1/embeddings.',
  },
  { paths: ['/v1/complete'], message: 'Prompts of this old format are not served: use POST /v1/messages.' },
  { paths: ['/v2/chat', '/v1beta'], message: 'Chats of this format are not served: use POST /v1/chat/completions.' },
  {
    paths: ['/api/v0', '/api/v1'],
    message: "LM Studio's own API is not served: use GET /v1/models and POST /v1/chat/completions.",
  },
  { paths: ['/v1/v1'], message: "The client adds /v1 itself: leave it out of the client's base URL." },
]

/** Returns ApiError 404 `not_supported` for a path of a refused surface; undefined for others. */
export function unserved(pathname: string): ApiError | undefined {
  const path = pathname.replace(/^\/openai(?=\/v1\/)/, '')
  const found = unservedSurfaces.find(({ paths }) => paths.some((each) => `${path}/`.startsWith(`${each}/`)))
  return found && new ApiError('not_found', found.message, { code: 'not_supported' })
}

/**
 * Requests that clients send, with the status of their answers. A test sends each; docs/reference/routes.md lists them.
 */

export interface EndpointRow {
  readonly method: string
  readonly path: string
  readonly status: number
  /** Remark in Markdown. Empty if there is nothing to add. */
  readonly remark: string
}

function endpoint(on: string, status: number, remark = ''): EndpointRow {
  const [method = '', path = ''] = on.split(' ')
  return { method, path, status, remark }
}

export const endpointRows: readonly EndpointRow[] = [
  endpoint('POST /v1/chat/completions', 200),
  endpoint('POST /v1/completions', 200),
  endpoint('POST /v1/fim/completions', 200),
  endpoint('POST /v1/responses', 200),
  endpoint('POST /v1/responses/input_tokens', 200),
  endpoint('POST /v1/messages', 200, '`x-api-key` or `Authorization: Bearer`'),
  endpoint('POST /v1/messages/count_tokens', 200),
  endpoint('POST /v1/tokenize', 200, 'this and the next three also without `/v1`'),
  endpoint('POST /v1/detokenize', 200),
  endpoint('POST /v1/apply-template', 200),
  endpoint('GET /v1/tokenizer_info?model=fake', 200),
  endpoint('POST /v1/embeddings', 200),
  endpoint('POST /v1/rerank', 200),
  endpoint('POST /v2/rerank', 200, "Cohere's second version; not below `/openai`"),
  endpoint('POST /v1/embed', 200, "Cohere's first version"),
  endpoint('POST /v2/embed', 200, "Cohere's second version; not below `/openai`"),
  endpoint('POST /v1/moderations', 404, '`not_supported` without the setting `moderation-model`'),
  endpoint('POST /v1/images/generations', 200, 'models of upstream servers alone'),
  endpoint('POST /v1/audio/speech', 200),
  endpoint('POST /v1/audio/transcriptions', 200),
  endpoint('POST /v1/audio/translations', 200),
  endpoint('POST /api/chat', 200, "Ollama's API; not below `/openai`"),
  endpoint('POST /api/generate', 200),
  endpoint('POST /api/embed', 200),
  endpoint('POST /api/embeddings', 200),
  endpoint('POST /api/show', 200),
  endpoint('POST /api/pull', 200, 'a model that is here; others need a key of an operator'),
  endpoint('GET /api/tags', 200),
  endpoint('GET /api/ps', 200),
  endpoint('GET /api/version', 200),
  endpoint(
    'GET /v1/models',
    200,
    'no key needed; aliases are rows of their own. With the header `anthropic-version` the answer has Anthropic’s shape: pages (`limit` up to 1,000, the default; `after_id`, `before_id`) of rows of type `model`, whose own type is `model_type`',
  ),
  endpoint('GET /v1/models/test/fake', 200, 'the slash of an id may be written as `%2F`'),
  endpoint('HEAD /', 200, 'clients look whether the server is there'),
  endpoint('GET /v1/responses', 405, '426 with `upgrade: websocket`, after which clients use POST'),
  endpoint('GET /v1/messages', 405),
  endpoint('GET /v1/responses/resp_1', 404, 'this and all of the next table: `not_supported`'),
]

/** Every `error.code` that this server sends: what it means and what to do. Rendered at /docs/errors. */
export const errorReference: Readonly<Record<string, { readonly status: number; readonly meaning: string }>> = {
  invalid_json: {
    status: 400,
    meaning: 'The body is not JSON in UTF-8, or its content-type is not application/json.',
  },
  missing_required_parameter: { status: 400, meaning: 'A required field is missing; `param` names it.' },
  invalid_value: { status: 400, meaning: 'A field has a wrong type or is out of range; `param` names it.' },
  unsupported_parameter: {
    status: 400,
    meaning: 'A field asks for something this server does not do; `param` names it. Leave it out.',
  },
  unsupported_content: { status: 400, meaning: 'A message part is of a kind that the model does not take.' },
  context_length_exceeded: {
    status: 400,
    meaning: "The conversation is longer than the model's context. Shorten it; nothing is ever cut silently.",
  },
  model_type_mismatch: { status: 400, meaning: 'The model is of another type than the endpoint serves.' },
  invalid_host: { status: 400, meaning: 'The request line or its Host header does not form an address.' },
  missing_api_key: { status: 401, meaning: 'Send a key: `Authorization: Bearer <key>`.' },
  invalid_api_key: { status: 401, meaning: 'The key is not one of this server.' },
  key_revoked: { status: 401, meaning: 'The key was revoked. Use another one.' },
  key_expired: { status: 401, meaning: 'The key has expired. Use another one.' },
  not_found: { status: 404, meaning: 'There is nothing at this path.' },
  model_not_found: { status: 404, meaning: 'No model has this id or alias. GET /models lists them.' },
  method_not_allowed: { status: 405, meaning: 'The path exists, but not for this method; `allow` lists those it has.' },
  payload_too_large: { status: 413, meaning: 'The body is larger than the limit, also after decompression.' },
  unsupported_media_type: { status: 415, meaning: 'The content-encoding is not supported. Send it plain or as gzip.' },
  internal_error: { status: 500, meaning: 'A bug. The log of the server has it under the x-request-id.' },
  engine_failed: { status: 502, meaning: 'The process that runs the model died. It restarts by itself: try again.' },
  model_not_installed: { status: 503, meaning: "The model's files are not on this server." },
  model_unavailable: { status: 503, meaning: 'The model cannot be loaded; the message says why.' },
  not_ready: { status: 503, meaning: 'The server runs but has no model that it can serve.' },
}

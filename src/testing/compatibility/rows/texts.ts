import { type Chapters, ignored, refused, supported } from './row.ts'

export const textsRows: Chapters = {
  embeddings: {
    sentence:
      "`POST /v1/embeddings`, OpenAI's format with fields of Jina and Voyage. [What vectors are](../compatibility.md#embeddings-and-reranking).",
    tables: {
      'Request fields': [
        supported('model', 'id or alias of a model of type `embedding`'),
        supported(
          'input',
          "texts, also as objects with a `text`, or token ids of the model's own vocabulary (one array, or an array of them). Empty ones are refused, more than `--embedding-inputs` too (413 `too_many_inputs`). An unpaired surrogate becomes U+FFFD",
        ),
        supported(
          'encoding_format',
          '`float` (default) or `base64`: the bytes of little-endian float32, or of another type of numbers',
        ),
        supported(
          ['dimensions', 'output_dimension'],
          "from 1 to the model's own number; the leading numbers are kept and scaled to length 1 again",
        ),
        supported(
          ['input_type', 'task', 'prompt_name'],
          "puts the model's instruction in front: for queries with `query`, `search_query` or `retrieval.query`, for documents with `document`, `passage`, `search_document` or `retrieval.passage`. Other words change nothing",
        ),
        supported(
          ['output_dtype', 'embedding_type', 'encoding_type', 'embedding_types'],
          'type of numbers: `float`, `int8`, `uint8`, `binary` or `ubinary`; the last three fields also take `base64` and an array of one type. For several types at once use `/v2/embed`',
        ),
        supported(
          'truncate',
          '`true` or `END` cuts texts that are too long at their end, `START` at their start; `false` and `NONE` refuse them',
        ),
        supported('truncation', '`true` is read as `truncate: true`'),
        refused('late_chunking', 'unless `false`'),
        ignored(['user', 'prompt', 'normalized', 'truncate_prompt_tokens', 'priority'], 'vectors always have length 1'),
      ],
    },
  },
  'v2/embed': {
    sentence:
      '`POST /v2/embed`, Cohere\'s second version; the base URL of its clients has no `/v1`. Errors are `{"message": …}` with `code`, `param`, `docs_url` and the request\'s `id`.',
    tables: {
      'Request fields': [
        supported('model', 'id or alias of a model of type `embedding`'),
        supported('texts', 'at most `--embedding-inputs`, none of them empty'),
        supported('inputs', 'in place of `texts`: parts of type `text`, joined by line breaks'),
        supported(
          'input_type',
          "required. `search_query` and `search_document` put the model's instruction in front; `classification` and `clustering` have none; `image` is refused",
        ),
        supported('embedding_types', 'any of `float` (default), `int8`, `uint8`, `binary`, `ubinary` and `base64`'),
        supported('output_dimension', "from 1 to the model's own number"),
        supported('truncate', '`END` (default), `START` or `NONE`'),
        refused('images', '`unsupported_content`'),
        ignored(['max_tokens', 'priority'], "texts are cut at the model's limit"),
      ],
    },
  },
  embed: {
    sentence:
      "`POST /v1/embed`, Cohere's first version. Without `embedding_types` the answer is a plain array of float32 vectors, with it vectors by type.",
    tables: {
      'Request fields': [
        supported(['model', 'texts', 'inputs', 'embedding_types', 'output_dimension', 'truncate'], 'as in v2/embed'),
        supported('input_type', 'as in v2/embed; may be left out'),
        refused('images', '`unsupported_content`'),
      ],
    },
  },
  rerank: {
    sentence:
      "`POST /v1/rerank` for clients of Cohere (first version), Jina and Voyage: the answer has `results`, and `data` for Voyage. `POST /v2/rerank`, Cohere's second version, takes the same body and answers with `results` alone.",
    tables: {
      'Request fields': [
        supported('model', 'id or alias of a model of type `rerank`'),
        supported('query', 'must not be empty; an unpaired surrogate becomes U+FFFD, in documents too'),
        supported(
          'documents',
          'texts, or objects: their `text` counts, else their `content`, else the whole object as JSON. More than `--rerank-documents` are refused (400 `too_many_documents`)',
        ),
        supported('rank_fields', 'fields of objects that count, joined by line breaks'),
        supported(['top_n', 'top_k'], 'how many results are returned; `top_n` wins'),
        supported('return_documents', 'results hold their document as it was sent; a text becomes `{"text": …}`'),
        supported(
          ['max_tokens_per_doc', 'max_doc_length'],
          'tokens of a document that are read; without it as many as the model takes',
        ),
        supported('truncation', '`false`: a document that would be cut is a 400 `context_length_exceeded`'),
        ignored(['max_chunks_per_doc', 'overlap_tokens', 'priority']),
      ],
    },
  },
}

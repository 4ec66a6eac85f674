import { type ExampleSections, fields } from './example.ts'

const embedExamples = {
  ...fields({
    model: 'org/other',
    texts: ['b', 'c'],
    input_type: 'search_query',
    embedding_types: ['int8'],
    output_dimension: 1,
    truncate: 'START',
    images: ['data:image/png;base64,AAAA'],
  }),
  inputs: { body: { texts: null, inputs: [{ content: [{ type: 'text', text: 'b' }] }] } },
}
const ranked = [{ title: 'a', text: 'b' }]

/** Examples for all rows of embeddings and rerank in docs/reference/fields.md. */
export const textsSections: ExampleSections = {
  'embeddings: Request fields': {
    dialect: 'embeddings',
    examples: fields({
      model: 'org/other',
      input: ['b', 'c'],
      encoding_format: 'base64',
      dimensions: 1,
      input_type: 'search_query',
      task: 'retrieval.passage',
      prompt_name: 'query',
      output_dtype: 'uint8',
      output_dimension: 1,
      embedding_type: 'binary',
      encoding_type: 'base64',
      embedding_types: ['uint8'],
      truncation: true,
      late_chunking: true,
      user: 'a',
      prompt: 'a',
      normalized: false,
      truncate: 'END',
      truncate_prompt_tokens: 5,
      priority: 1,
    }),
  },
  'v2/embed: Request fields': {
    dialect: 'v2/embed',
    examples: { ...embedExamples, ...fields({ max_tokens: 1, priority: 1 }) },
  },
  'embed: Request fields': { dialect: 'embed', examples: embedExamples },
  'rerank: Request fields': {
    dialect: 'rerank',
    examples: {
      ...fields({
        model: 'org/other',
        query: 'b',
        documents: ['d'],
        top_n: 1,
        return_documents: true,
        max_chunks_per_doc: 1,
        max_tokens_per_doc: 1,
        max_doc_length: 1,
        overlap_tokens: 1,
        truncation: false,
        priority: 1,
        top_k: 1,
      }),
      rank_fields: { body: { documents: ranked, rank_fields: ['title'] }, without: { documents: ranked } },
    },
  },
}

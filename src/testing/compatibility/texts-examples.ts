import { type ExampleSections, fields } from './example.ts'

const ranked = [{ title: 'a', text: 'b' }]

/** Of everything that docs/compatibility.md says of embeddings and rerank. */
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
      output_dtype: 'int8',
      embedding_type: 'binary',
      embedding_types: ['float', 'ubinary'],
      late_chunking: true,
      user: 'a',
      prompt: 'a',
      normalized: false,
      truncate: 'END',
      truncate_prompt_tokens: 5,
      priority: 1,
    }),
  },
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
        overlap_tokens: 1,
        truncation: false,
        priority: 1,
        top_k: 1,
      }),
      rank_fields: { body: { documents: ranked, rank_fields: ['title'] }, without: { documents: ranked } },
    },
  },
}

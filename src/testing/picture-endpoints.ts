/** Endpoint that makes pictures, for tests that try all endpoints. */
import { type DialectEndpoint, readPlainError } from './dialect-endpoints.ts'
import type { TestModel } from './test-server.ts'

/** Model that makes pictures on the fake engine, for 10,000 nano-USD each. */
export const pictureModels: Readonly<Record<string, TestModel>> = {
  'test/painter': {
    manifest: { type: 'image', aliases: [{ id: 'painter' }], pricing: { priceNanoUsd: 10_000, unit: 'image' } },
  },
}

export const pictureBody = { model: 'painter', prompt: 'A red apple.' }

export const pictureEndpoints: readonly Pick<DialectEndpoint, 'path' | 'bodies' | 'readError' | 'streamEnd'>[] = [
  {
    path: '/v1/images/generations',
    bodies: [
      pictureBody,
      { prompt: 'Ein Apfel 🙂', n: 2, size: '1024x1024', quality: 'high', response_format: 'b64_json', user: 'ann' },
      { ...pictureBody, style: 'vivid', background: 'auto', output_format: 'webp', output_compression: 80 },
    ],
    readError: readPlainError,
  },
]

import { embeddingsDialect } from '../../wire/embeddings/dialect.ts'
import { encodeRoute } from '../encode-route.ts'

/** POST /embeddings. */
export const embeddings = encodeRoute(embeddingsDialect)

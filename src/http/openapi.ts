import type { TSchema } from '@sinclair/typebox'
import { CohereErrorBody } from '../wire/cohere/error-body.ts'
import { ErrorBody } from '../wire/error-body.ts'
import { MessagesErrorBody } from '../wire/messages/error-body.ts'
import { OllamaErrorBody } from '../wire/ollama/error-body.ts'
import { plainName, secureName } from './dashboard/session-cookie.ts'
import { errorReference } from './error-reference.ts'
import type { ErrorDialect } from './exchange.ts'
import { pathRulesReader } from './path-rules.ts'
import type { Route } from './route.ts'

interface OpenApiOptions {
  /** The server's address without path. */
  readonly baseUrl: string
  readonly version: string
}

const json = 'application/json'

/** Returns the OpenAPI 3.1 document of all routes with a summary. */
export function toOpenApi(routes: readonly Route[], { baseUrl, version }: OpenApiOptions): object {
  const rulesOf = pathRulesReader(routes)
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes.filter(({ summary }) => summary !== undefined)) {
    const path = route.path.replace('*', '{id}')
    const operation = toOperation(route, rulesOf(route.path).dialect)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'inferd',
      version,
      description: `Everything below /v1 is also served below /openai/v1. ${baseUrl}/docs/errors lists the error codes.`,
    },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer' },
        apiKeyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        session: { type: 'apiKey', in: 'cookie', name: plainName },
        secureSession: { type: 'apiKey', in: 'cookie', name: secureName },
      },
      schemas: { ErrorCode: { type: 'string', enum: Object.keys(errorReference) } },
      responses: {
        Error: errorResponse(ErrorBody),
        MessagesError: errorResponse(MessagesErrorBody),
        CohereError: errorResponse(CohereErrorBody),
        OllamaError: errorResponse(OllamaErrorBody),
      },
    },
  }
}

function toOperation(
  { method, path, summary, access, query = [], body, file, answers = [json] }: Route,
  dialect: ErrorDialect,
) {
  const parameters = [
    ...(path.endsWith('*') ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] : []),
    ...query.map((name) => ({ name, in: 'query', schema: { type: 'string' } })),
  ]
  return {
    operationId: `${method.toLowerCase()}${path.replace('*', 'id').replace(/\W+/g, '_').replace(/_$/, '')}`,
    summary,
    security: security[access === 'key' && dialect === 'messages' ? 'messages-key' : access],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: contentOf(body, file) } }),
    responses: {
      '2XX': { description: 'The answer.', content: Object.fromEntries(answers.map((type) => [type, {}])) },
      default: { $ref: `#/components/responses/${errorNames[dialect]}` },
    },
  }
}

function contentOf(body: TSchema, file: string | undefined): object {
  if (file === undefined) return { [json]: { schema: body } }
  const schema = {
    ...body,
    properties: { ...body.properties, [file]: { contentMediaType: 'application/octet-stream' } },
    required: [...(body.required ?? []), file],
  }
  return { 'multipart/form-data': { schema } }
}

/** Schema component of each dialect's errors */
const errorNames: Readonly<Record<ErrorDialect, string>> = {
  chat: 'Error',
  messages: 'MessagesError',
  cohere: 'CohereError',
  ollama: 'OllamaError',
}

/** Authentication schemes by access, of which any one is enough */
const security: Readonly<Record<Route['access'] | 'messages-key', readonly object[]>> = {
  public: [],
  'own-host': [],
  'own-page': [],
  key: [{ apiKey: [] }],
  share: [{ apiKey: [] }],
  ollama: [{}, { apiKey: [] }],
  monitor: [{}, { apiKey: [] }],
  'messages-key': [{ apiKey: [] }, { apiKeyHeader: [] }],
  session: [{ session: [] }, { secureSession: [] }],
  playground: [{ session: [] }, { secureSession: [] }],
  'own-admin': [],
  staff: [{ session: [] }, { secureSession: [] }],
}

function errorResponse(schema: TSchema) {
  return { description: 'What went wrong.', content: { [json]: { schema } } }
}

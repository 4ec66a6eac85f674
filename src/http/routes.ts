/** Route table: every endpoint with its clients and handler. */

import { Type } from '@sinclair/typebox'
import { ownerOf } from '../core/owner.ts'
import { auditors, bookReaders, staffRoles } from '../core/roles.ts'
import type { WorkEvent } from '../core/work.ts'
import { type OperationName, operations } from '../operations/operations.ts'
import type { WorkCall, WorkDialect } from '../wire/dialect.ts'
import { dialects } from '../wire/dialects.ts'
import { OllamaShowBody } from '../wire/ollama/models.ts'
import { OllamaDeleteBody, OllamaPullBody } from '../wire/ollama/pull.ts'
import { forwardedPaths, pagePaths } from '../wire/page-paths.ts'
import { SearchBody } from '../wire/search/parse-search.ts'
import { SignupBody } from '../wire/signup.ts'
import { downloadBackup } from './admin/download-backup.ts'
import { history, liveEvents, metrics } from './admin/live.ts'
import { backupField, uploadBackup } from './admin/upload-backup.ts'
import type { KeyHolder } from './authenticate.ts'
import { endByProvider, finishSignIn, startSignIn } from './dashboard/oidc.ts'
import { progress } from './dashboard/progress.ts'
import { mailSignInLink, setUp, signIn, signInByLink, signOut } from './dashboard/sign-in.ts'
import { status } from './dashboard/status.ts'
import type { Exchange } from './exchange.ts'
import { exportAny, exportOwn } from './export-account.ts'
import { booksCsv, ledgerCsv } from './ledger-csv.ts'
import { requireNetwork } from './limits.ts'
import { toOpenApi } from './openapi.ts'
import { pageDocument, uiFile } from './pages/pages.ts'
import { type AccountCaller, perform } from './perform.ts'
import { performAsAccount, performAsStaff } from './perform-as.ts'
import { type Route, type RouteRow, type RowsFor, routesBelow, type Served } from './route.ts'
import { account, signup } from './routes/account.ts'
import { challengeAnswer, rootCertificate } from './routes/certificates.ts'
import { askToConfirm, confirm } from './routes/confirm.ts'
import { errorDocs, modelDocs, root, routePage, tlsDocs, welcome } from './routes/docs.ts'
import { health, ready } from './routes/health.ts'
import { listModels, retrieveModel } from './routes/models.ts'
import { ollamaPs, ollamaShow, ollamaTags, ollamaVersion } from './routes/ollama.ts'
import { noOllamaBlobs, ollamaDelete, ollamaPull, ollamaUnsupported } from './routes/ollama-models.ts'
import { refuseWebSocket } from './routes/refuse-web-socket.ts'
import { searchTheWeb } from './routes/search.ts'
import { listShared, sharedBlob } from './routes/share.ts'
import { workRoute } from './work-route.ts'

const json = 'application/json'
const page = ['text/html']
const linked = { query: ['token'], answers: page }
const modelsQuery = ['type', 'limit', 'after_id', 'before_id']

function work<Call extends WorkCall, Event extends WorkEvent>(dialect: WorkDialect<Call, Event>) {
  const answers = dialect.encoder === undefined ? [json] : [json, 'text/event-stream']
  return { handle: workRoute(dialect), body: dialect.body, file: dialect.file, answers: dialect.answers ?? answers }
}

function takes(name: OperationName) {
  return { body: operations[name].input }
}

const modelApi: RowsFor<'public'> = [
  { on: 'GET /models', handle: listModels, query: modelsQuery, summary: 'List the models' },
  { on: 'GET /models/*', handle: retrieveModel, summary: 'Show a model' },
]

/** Routes of tokenizers, which clients look for at the root or below /v1. */
const tokenApi: readonly RouteRow[] = [
  { on: 'POST /tokenize', access: 'key', ...work(dialects.tokenize), summary: 'Cut a text into tokens' },
  { on: 'POST /detokenize', access: 'key', ...work(dialects.detokenize), summary: 'Turn tokens into a text' },
  { on: 'POST /apply-template', access: 'key', ...work(dialects.applyTemplate), summary: 'Show the prompt of a chat' },
  {
    on: 'GET /tokenizer_info',
    access: 'key',
    handle: workRoute(dialects.tokenizerInfo),
    query: ['model'],
    summary: "Tell a tokenizer's own tokens",
  },
]

const api: readonly RouteRow[] = [
  ...tokenApi,
  { on: 'POST /chat/completions', access: 'key', ...work(dialects.chatCompletions), summary: 'Answer a conversation' },
  { on: 'POST /completions', access: 'key', ...work(dialects.completions), summary: 'Continue a text' },
  { on: 'POST /fim/completions', access: 'key', ...work(dialects.fimCompletions), summary: 'Fill a gap in a text' },
  { on: 'POST /responses', access: 'key', ...work(dialects.responses), summary: 'Answer a conversation of items' },
  { on: 'POST /messages', access: 'key', dialect: 'messages', ...work(dialects.messages), summary: 'Answer messages' },
  { on: 'POST /messages/count_tokens', access: 'key', ...work(dialects.countedMessages), summary: 'Count tokens' },
  { on: 'POST /responses/input_tokens', access: 'key', ...work(dialects.countedResponses), summary: 'Count tokens' },
  { on: 'GET /responses', access: 'public', handle: refuseWebSocket },
  {
    on: 'POST /alpha/search',
    access: 'key',
    handle: searchTheWeb,
    body: SearchBody,
    summary: 'Search the web, as the Codex agent asks',
  },
  { on: 'POST /embeddings', access: 'key', ...work(dialects.embeddings), summary: 'Embed texts' },
  { on: 'POST /rerank', access: 'key', ...work(dialects.rerank), summary: 'Rank documents by a query' },
  { on: 'POST /embed', access: 'key', dialect: 'cohere', ...work(dialects.cohereEmbedV1), summary: 'Embed texts' },
  { on: 'POST /moderations', access: 'key', ...work(dialects.moderations), summary: 'Judge texts by kinds of harm' },
  { on: 'POST /images/generations', access: 'key', ...work(dialects.images), summary: 'Make pictures of a text' },
  { on: 'POST /audio/speech', access: 'key', ...work(dialects.speech), summary: 'Speak a text' },
  {
    on: 'POST /audio/transcriptions',
    access: 'key',
    ...work(dialects.transcriptions),
    summary: 'Transcribe a recording',
  },
  {
    on: 'POST /audio/translations',
    access: 'key',
    ...work(dialects.translations),
    summary: 'Write down in English what a recording says',
  },
  {
    on: 'POST /signup',
    access: 'own-host',
    handle: signup,
    body: SignupBody,
    summary: 'Make an account and an API key',
  },
  { on: 'GET /account', access: 'key', handle: account, summary: 'Show the balance and the latest requests' },
  ...modelApi.map((row) => ({ access: 'public', ...row }) as const),
  { on: 'GET /openapi.json', access: 'public', handle: openApi },
]

/** Routes of Cohere's second version that differ from the first. */
const secondApi: readonly RouteRow[] = [
  { on: 'POST /embed', access: 'key', dialect: 'cohere', ...work(dialects.cohereEmbed), summary: 'Embed texts' },
  { on: 'POST /rerank', access: 'key', dialect: 'cohere', ...work(dialects.cohereRerank), summary: 'Rank documents' },
]

const ollama = { access: 'ollama', dialect: 'ollama' } as const

const ollamaApi: readonly RouteRow[] = [
  { on: 'POST /chat', ...ollama, ...work(dialects.ollamaChat), summary: "Answer a conversation, as Ollama's API" },
  { on: 'POST /generate', ...ollama, ...work(dialects.ollamaGenerate), summary: "Answer a prompt, as Ollama's API" },
  { on: 'POST /embed', ...ollama, ...work(dialects.ollamaEmbed), summary: "Embed texts, as Ollama's API" },
  { on: 'POST /embeddings', ...ollama, ...work(dialects.ollamaEmbeddings), summary: "Embed a text, as Ollama's API" },
  { on: 'GET /tags', ...ollama, handle: ollamaTags, summary: "List the models on this disk, as Ollama's API" },
  { on: 'GET /ps', ...ollama, handle: ollamaPs, summary: "List the loaded models, as Ollama's API" },
  { on: 'POST /show', ...ollama, handle: ollamaShow, body: OllamaShowBody, summary: "Show a model, as Ollama's API" },
  { on: 'GET /version', ...ollama, handle: ollamaVersion, summary: "Show which version of Ollama's API is spoken" },
  {
    on: 'POST /pull',
    ...ollama,
    handle: ollamaPull,
    body: OllamaPullBody,
    answers: [json, 'application/x-ndjson'],
    summary: "Download a model, as Ollama's API",
  },
  {
    on: 'DELETE /delete',
    ...ollama,
    handle: ollamaDelete,
    body: OllamaDeleteBody,
    summary: "Remove a model, as Ollama's API",
  },
  { on: 'POST /copy', ...ollama, handle: ollamaUnsupported },
  { on: 'POST /create', ...ollama, handle: ollamaUnsupported },
  { on: 'POST /push', ...ollama, handle: ollamaUnsupported },
  { on: 'GET /blobs/*', ...ollama, handle: noOllamaBlobs },
  { on: 'POST /blobs/*', ...ollama, handle: ollamaUnsupported },
]

const signInApi: RowsFor<'own-page'> = [
  { on: 'POST /sign-in', handle: signIn, ...takes('sessions-begin'), summary: 'Sign in by a password' },
  { on: 'POST /sign-in-link', handle: mailSignInLink, ...takes('sessions-send-link'), summary: 'Mail a link' },
  {
    on: 'POST /session',
    handle: signInByLink,
    ...takes('sessions-begin-by-link'),
    summary: 'Sign in by a mailed link',
  },
  { on: 'POST /sign-out', handle: signOut, summary: 'End the session' },
]

const oidcApi: readonly RouteRow[] = [
  {
    on: 'GET /start/*',
    access: 'own-host',
    handle: startSignIn,
    query: ['to', 'silent', 'link'],
    answers: page,
    summary: 'Go to an identity provider to sign in',
  },
  {
    on: 'GET /callback/*',
    access: 'own-host',
    handle: finishSignIn,
    query: ['code', 'state', 'iss', 'error'],
    answers: page,
    summary: 'Come back from an identity provider',
  },
  {
    on: 'POST /logout/*',
    access: 'public',
    handle: endByProvider,
    summary: 'End sessions that an identity provider has ended',
  },
]

const accountApi: RowsFor<'session'> = [
  { on: 'POST /operations/*', handle: performAsAccount, summary: 'Do what the pages of an account can' },
  {
    on: 'GET /ledger',
    handle: ledgerCsv,
    query: ['month'],
    answers: ['text/csv'],
    summary: 'List what moved money in a month, as CSV',
  },
  {
    on: 'GET /export',
    handle: exportOwn,
    answers: ['application/json'],
    summary: 'Get all data about the account, as a JSON file',
  },
  { on: 'GET /progress/*', handle: progress, answers: ['text/event-stream'], summary: 'Follow an upload' },
]

const adminApi: readonly RouteRow[] = [
  { on: 'POST /setup', access: 'own-admin', handle: setUp, ...takes('admin-setup'), summary: 'Use a setup link' },
  {
    on: 'GET /events',
    access: 'staff',
    roles: auditors,
    handle: liveEvents,
    query: ['topics'],
    answers: ['text/event-stream'],
    summary: 'Follow the running server',
  },
  {
    on: 'GET /history',
    access: 'staff',
    roles: auditors,
    handle: history,
    query: ['series', 'window'],
    summary: 'Show past figures',
  },
  {
    on: 'GET /ledger',
    access: 'staff',
    roles: bookReaders,
    handle: booksCsv,
    query: ['account', 'kind'],
    answers: ['text/csv'],
    summary: 'List what moved money, as CSV',
  },
  {
    on: 'GET /export',
    access: 'staff',
    handle: exportAny,
    query: ['account'],
    answers: ['application/json'],
    summary: 'Get all data about an account, as a JSON file',
  },
  {
    on: 'GET /backups/*',
    access: 'staff',
    handle: downloadBackup,
    query: ['ticket'],
    answers: ['application/x-tar'],
    summary: 'Download a backup',
  },
  {
    on: 'POST /backups',
    access: 'staff',
    handle: uploadBackup,
    body: Type.Object({}),
    file: backupField,
    summary: 'Upload a backup',
  },
  {
    on: 'POST /operations/*',
    access: 'staff',
    roles: staffRoles,
    handle: performAsStaff,
    summary: 'Do what the command line can',
  },
]

const rest: readonly RouteRow[] = [
  { on: 'GET /', access: 'public', handle: root, summary: 'Say where the API is' },
  { on: 'GET /openai', access: 'public', handle: welcome },
  { on: 'GET /health', access: 'public', handle: health, summary: 'Say that the server runs' },
  { on: 'GET /ready', access: 'public', handle: ready, summary: 'Say whether a model can be served' },
  {
    on: 'GET /metrics',
    access: 'monitor',
    handle: metrics,
    answers: ['text/plain'],
    summary: 'Tell metrics to Prometheus',
  },
  { on: 'GET /openapi.json', access: 'public', handle: openApi, summary: 'Describe the API' },
  { on: 'GET /docs', access: 'public', handle: routeDocs, answers: page, summary: 'List the routes' },
  { on: 'GET /docs/errors', access: 'public', handle: errorDocs, answers: page, summary: 'List the error codes' },
  { on: 'GET /docs/models', access: 'public', handle: modelDocs, answers: page, summary: 'Describe the models' },
  { on: 'GET /docs/tls', access: 'public', handle: tlsDocs, answers: page, summary: 'Say how to encrypt connections' },
  { on: 'GET /ca.pem', access: 'public', handle: rootCertificate, answers: ['application/x-pem-file'] },
  { on: 'GET /.well-known/acme-challenge/*', access: 'public', handle: challengeAnswer, answers: ['text/plain'] },
  { on: 'GET /confirm', access: 'own-host', handle: askToConfirm, ...linked, summary: 'Ask to confirm a mail address' },
  { on: 'POST /confirm', access: 'own-host', handle: confirm, ...linked, summary: 'Confirm a mail address' },
  ...[...pagePaths, ...forwardedPaths].map((path) => {
    const access = path.startsWith('/admin') ? 'own-admin' : 'own-host'
    return { on: `GET ${path}`, access, handle: pageDocument, answers: page } as const
  }),
  { on: 'GET /ui/*', access: 'own-host', handle: uiFile, answers: ['*/*'] },
]

const shareApi: RowsFor<'share'> = [
  { on: 'GET /models', handle: listShared, summary: 'List the models that other boxes may fetch' },
  {
    on: 'GET /blobs/*',
    handle: sharedBlob,
    answers: ['application/octet-stream'],
    summary: 'Fetch a file by its SHA-256',
  },
]

export const routes: readonly Route[] = [
  ...routesBelow('/v1', api),
  // The API reference lists these routes once, under /v1.
  ...routesBelow('/openai/v1', api).map((route) => ({ ...route, summary: undefined })),
  // The API reference lists these routes once, under /v1.
  ...routesBelow('', tokenApi).map((route) => ({ ...route, summary: undefined })),
  ...routesBelow('/v2', secondApi),
  ...routesBelow('/api', ollamaApi),
  ...routesBelow('/dashboard/api', [
    { on: 'GET /status', access: 'own-host', handle: status, summary: 'Say what the pages need to know of the server' },
    ...signInApi.map((row) => ({ access: 'own-page', ...row }) as const),
    ...accountApi.map((row) => ({ access: 'session', ...row }) as const),
  ]),
  ...routesBelow('/dashboard/v1', [
    ...api.flatMap(ofPlayground),
    ...modelApi.map((row) => ({ ...row, access: 'session', summary: undefined }) as const),
  ]),
  ...routesBelow('/oidc', oidcApi),
  ...routesBelow('/admin/api', adminApi),
  ...routesBelow(
    '/share/v1',
    shareApi.map((row) => ({ access: 'share', ...row }) as const),
  ),
  ...routesBelow('', rest),
]

/**
 * Returns a row of the playground for one of the API: the same handler, under the playground key of the account, or of
 * the team that `x-pay-from` names.
 * Browsers keep no answers.
 */
function ofPlayground(row: RouteRow): RouteRow[] {
  if (row.access !== 'key' || row.body === undefined) return []
  const handle = async (exchange: Served, account: AccountCaller) => {
    const { accountId } = account
    const team = exchange.request.headers.get('x-pay-from') ?? undefined
    const payer = team === undefined || team === accountId ? { accountId } : { accountId: team, holderId: accountId }
    const keyId = await playgroundKey(exchange, account, payer)
    exchange.observer.keyId = keyId
    requireNetwork(exchange, { ...payer, keyId })
    const response = await row.handle(exchange, { ...payer, keyId, owner: ownerOf(payer) })
    response.headers.set('cache-control', 'no-store')
    return response
  }
  return [{ ...row, handle, access: 'playground', summary: undefined }]
}

/** Returns the key that records playground use at a payer's expense. Throws ApiError 403 for a team of others. */
async function playgroundKey(exchange: Served, account: AccountCaller, payer: Payer): Promise<string> {
  const { accountId, holderId } = payer
  // A key in force belongs to a member: leaving a team ends it.
  const found = exchange.services.stores.keys.playgroundKey(accountId, holderId)
  return found ?? (await perform(exchange, account, 'keys-ensure-playground', { account: accountId })).key
}

type Payer = Pick<KeyHolder, 'accountId' | 'holderId'>

function openApi({ baseUrl, services, routes }: Exchange<'config'>): Response {
  return Response.json(toOpenApi(routes, { baseUrl, version: services.config.version }))
}

function routeDocs(exchange: Exchange<'ui'>): Response {
  return routePage(exchange, exchange.routes)
}

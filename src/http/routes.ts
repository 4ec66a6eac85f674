/** The route table: everything that is served, for whom, and by which handler. */
import { chatCompletionsDialect } from '../wire/chat-completions/dialect.ts'
import { embeddingsDialect } from '../wire/embeddings/dialect.ts'
import { countedMessages, messagesDialect } from '../wire/messages/dialect.ts'
import { toTokenCount } from '../wire/messages/token-count.ts'
import { rerankDialect } from '../wire/rerank/dialect.ts'
import { countedResponses, responsesDialect, toInputTokens } from '../wire/responses/dialect.ts'
import { chatRoute } from './chat-route.ts'
import { countRoute } from './count-route.ts'
import { createKey, listKeys, revokeKey } from './dashboard/keys.ts'
import { ledger, redeemVoucher, usage } from './dashboard/money.ts'
import { dashboardPage, signInPage } from './dashboard/pages.ts'
import { me, resendConfirmation, setPassword } from './dashboard/settings.ts'
import { mailSignInLink, signIn, signInByLink, signOut } from './dashboard/sign-in.ts'
import { type Route, type RouteRow, routesBelow } from './route.ts'
import { account } from './routes/account.ts'
import { confirm } from './routes/confirm.ts'
import { errorDocs, modelDocs, welcome } from './routes/docs.ts'
import { health, ready } from './routes/health.ts'
import { listModels, retrieveModel } from './routes/models.ts'
import { noStoredResponses, refuseWebSocket } from './routes/responses-stateless.ts'
import { signup } from './routes/signup.ts'
import { textsRoute } from './texts-route.ts'

/** Below each of `apiPrefixes`. */
const api: readonly RouteRow[] = [
  { on: 'POST /chat/completions', access: 'key', handle: chatRoute(chatCompletionsDialect) },
  { on: 'POST /messages', access: 'key', dialect: 'messages', handle: chatRoute(messagesDialect) },
  { on: 'POST /messages/count_tokens', access: 'key', handle: countRoute(countedMessages, toTokenCount) },
  { on: 'POST /responses', access: 'key', handle: chatRoute(responsesDialect) },
  { on: 'GET /responses', access: 'public', handle: refuseWebSocket },
  { on: 'POST /responses/input_tokens', access: 'key', handle: countRoute(countedResponses, toInputTokens) },
  { on: 'GET /responses/*', access: 'public', handle: noStoredResponses },
  { on: 'POST /responses/*', access: 'public', handle: noStoredResponses },
  { on: 'DELETE /responses/*', access: 'public', handle: noStoredResponses },
  { on: 'POST /embeddings', access: 'key', handle: textsRoute(embeddingsDialect) },
  { on: 'POST /rerank', access: 'key', handle: textsRoute(rerankDialect) },
  { on: 'POST /signup', access: 'own-host', handle: signup },
  { on: 'GET /account', access: 'key', handle: account },
  { on: 'GET /models', access: 'public', handle: listModels },
  { on: 'GET /models/*', access: 'public', handle: retrieveModel },
]

const dashboardApi: readonly RouteRow[] = [
  { on: 'POST /sign-in', access: 'own-page', handle: signIn },
  { on: 'POST /sign-in-link', access: 'own-page', handle: mailSignInLink },
  { on: 'POST /session', access: 'own-page', handle: signInByLink },
  { on: 'POST /sign-out', access: 'own-page', handle: signOut },
  { on: 'GET /me', access: 'session', handle: me },
  { on: 'GET /keys', access: 'session', handle: listKeys },
  { on: 'POST /keys', access: 'session', handle: createKey },
  { on: 'DELETE /keys/*', access: 'session', handle: revokeKey },
  { on: 'GET /usage', access: 'session', handle: usage },
  { on: 'GET /ledger', access: 'session', handle: ledger },
  { on: 'POST /vouchers/redeem', access: 'session', handle: redeemVoucher },
  { on: 'POST /confirmation', access: 'session', handle: resendConfirmation },
  { on: 'POST /password', access: 'session', handle: setPassword },
]

const rest: readonly RouteRow[] = [
  { on: 'GET /', access: 'public', handle: welcome },
  { on: 'GET /openai', access: 'public', handle: welcome },
  { on: 'GET /health', access: 'public', handle: health },
  { on: 'GET /ready', access: 'public', handle: ready },
  { on: 'GET /docs/errors', access: 'public', handle: errorDocs },
  { on: 'GET /docs/models', access: 'public', handle: modelDocs },
  { on: 'GET /confirm', access: 'own-host', handle: confirm },
  { on: 'GET /sign-in', access: 'own-host', handle: signInPage },
  { on: 'GET /dashboard', access: 'own-host', handle: dashboardPage },
  { on: 'GET /dashboard/billing', access: 'own-host', handle: dashboardPage },
]

export const routes: readonly Route[] = [
  ...['/v1', '/openai/v1'].flatMap((prefix) => routesBelow(prefix, api)),
  ...routesBelow('/dashboard/api', dashboardApi),
  ...routesBelow('', rest),
]

import { catalogPage } from './catalog-page.ts'
import { clientsPage } from './clients-page.ts'
import { commandsPage } from './commands-page.ts'
import { errorsPage } from './errors-page.ts'
import { fieldsPage } from './fields-page.ts'
import { limitsPage } from './limits-page.ts'
import { linksPage } from './links-page.ts'
import { manifestPage } from './manifest-page.ts'
import { metricsPage } from './metrics-page.ts'
import { personalDataPage } from './personal-data-page.ts'
import { rolesPage } from './roles-page.ts'
import { routesPage } from './routes-page.ts'
import { schemasPage } from './schemas-page.ts'
import { settingsPage } from './settings-page.ts'
import { upstreamPage } from './upstream-page.ts'

/** Pages of docs/reference by file name. */
export const referencePages: Readonly<Record<string, () => string>> = {
  'catalog.md': catalogPage,
  'clients.md': clientsPage,
  'commands.md': commandsPage,
  'errors.md': errorsPage,
  'fields.md': fieldsPage,
  'json-schemas.md': schemasPage,
  'limits.md': limitsPage,
  'links-and-keys.md': linksPage,
  'manifest.md': manifestPage,
  'metrics.md': metricsPage,
  'personal-data.md': personalDataPage,
  'roles.md': rolesPage,
  'routes.md': routesPage,
  'settings.md': settingsPage,
  'upstream.md': upstreamPage,
}

/** Vectors: similarity of texts by an embedding model, and order of documents by a reranker. */
import { Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { place, setQuery } from '../../router/router.ts'
import { texts } from '../../texts/texts.ts'
import { CompareTab } from './compare-tab.tsx'
import { SearchTab } from './search-tab.tsx'

export default function Vectors() {
  const tab = place.value.query.get('tab') === 'search' ? 'search' : 'compare'
  return (
    <Page title={texts.vectors.title} intro={texts.vectors.intro}>
      <Tabs
        label={texts.vectors.tabsLabel}
        value={tab}
        choices={texts.vectors.tabs}
        onChange={(chosen) => setQuery({ tab: chosen === 'compare' ? undefined : chosen, model: undefined })}
      >
        {tab === 'compare' ? <CompareTab /> : <SearchTab />}
      </Tabs>
    </Page>
  )
}

import DefaultTheme from 'vitepress/theme-without-fonts'
import type { Theme } from 'vitepress'
import FlowFigure from './figures/FlowFigure.vue'
import BatchFigure from './figures/BatchFigure.vue'
import StepFigure from './figures/StepFigure.vue'
import ChainFigure from './figures/ChainFigure.vue'
import HomeFeatures from './home/HomeFeatures.vue'
import HomeLinks from './home/HomeLinks.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('FlowFigure', FlowFigure)
    app.component('BatchFigure', BatchFigure)
    app.component('StepFigure', StepFigure)
    app.component('ChainFigure', ChainFigure)
    app.component('HomeFeatures', HomeFeatures)
    app.component('HomeLinks', HomeLinks)
  }
} satisfies Theme

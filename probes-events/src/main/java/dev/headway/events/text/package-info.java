/**
 * Text for files, terminals and pages: JSON without a tree and without a locale, ratios in exact
 * arithmetic, figures as people read them, and control characters made visible.
 */
@NullMarked
package dev.headway.events.text;

import org.jspecify.annotations.NullMarked;

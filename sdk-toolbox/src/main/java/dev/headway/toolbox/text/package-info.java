/**
 * Text for files, terminals and pages: JSON without a tree and without a locale, ratios in exact
 * arithmetic, and figures as people read them.
 */
@NullMarked
package dev.headway.toolbox.text;

import org.jspecify.annotations.NullMarked;

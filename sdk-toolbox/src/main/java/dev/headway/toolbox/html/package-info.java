/**
 * HTML and SVG in which every text is escaped, and the parts and the style sheet that all pages
 * have.
 *
 * <p>Read {@link dev.headway.toolbox.html.StaticPage}, then {@link
 * dev.headway.toolbox.html.Markup}.
 */
@NullMarked
package dev.headway.toolbox.html;

import org.jspecify.annotations.NullMarked;

/**
 * The page: one class per section, each writing its part from the figures.
 *
 * <p>Read {@link dev.headway.report.html.page.ReportPage}. Everything can be read without scripts;
 * the script of the page adds zoom and hover to the time line.
 */
@NullMarked
package dev.headway.report.html.page;

import org.jspecify.annotations.NullMarked;

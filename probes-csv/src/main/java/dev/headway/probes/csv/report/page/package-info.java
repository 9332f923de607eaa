/**
 * The page: one class per section, each writing its part from the figures.
 *
 * <p>Read {@link dev.headway.probes.csv.report.page.ReportPage}. Everything can be read without
 * scripts; the script of the page adds zoom and hover to the time line.
 */
@NullMarked
package dev.headway.probes.csv.report.page;

import org.jspecify.annotations.NullMarked;

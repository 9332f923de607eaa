/**
 * What a report says of a run, gathered in one pass over its journal and in memory that does not
 * grow with it.
 *
 * <p>Read {@link dev.headway.report.html.figures.ReportFigures}; every part of it gathers one
 * subject. One thread.
 */
@NullMarked
package dev.headway.report.html.figures;

import org.jspecify.annotations.NullMarked;

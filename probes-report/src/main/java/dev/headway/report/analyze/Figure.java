package dev.headway.report.analyze;

/**
 * A figure of a profile in two views.
 *
 * @param name of words joined by underscores
 * @param unit empty if it has none
 * @param all over all steps
 * @param steady over those that are neither warm-up nor outliers; NaN if that says nothing
 */
public record Figure(String name, String unit, double all, double steady) {}

package dev.headway.probes.csv.projection;

/**
 * A wait reason of a journal.
 *
 * @param label the word
 * @param cell the word as a cell
 * @param index position in {@link WaitReasons#KNOWN}, or after it for a reason of a newer writer
 */
record Reason(String label, String cell, int index) {}

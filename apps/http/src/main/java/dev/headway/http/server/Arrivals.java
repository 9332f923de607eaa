package dev.headway.http.server;

import dev.headway.http.BodyBudget;
import dev.headway.http.BrowserRules;
import dev.headway.http.ConnectionLimits;
import dev.headway.http.ConnectionTable;
import dev.headway.http.Cors;

/**
 * What clients have in common until a whole request of theirs is known. Any thread.
 *
 * @param limits what they may take before
 * @param table their connections
 * @param maxBodyBytes longest body of a request
 * @param bodies memory for their requests
 * @param browsers what a page may not make a browser send
 * @param cors pages of other origins that may ask
 */
public record Arrivals(
    ConnectionLimits limits,
    ConnectionTable table,
    int maxBodyBytes,
    BodyBudget bodies,
    BrowserRules browsers,
    Cors cors) {}

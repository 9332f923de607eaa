package dev.headway.router.proxy;

import dev.headway.http.BodyBudget;
import dev.headway.http.BrowserRules;
import dev.headway.http.ConnectionTable;
import java.net.InetAddress;

/**
 * What clients have in common until a request of theirs is known. Any thread.
 *
 * @param rules what they may do
 * @param table their connections
 * @param bodies memory for their requests
 * @param browsers what a page may not make a browser send
 */
public record Arrivals(
    ClientRules rules, ConnectionTable table, BodyBudget bodies, BrowserRules browsers) {

  /** Nothing has arrived yet at a router that listens on an address. */
  public static Arrivals at(InetAddress address, ClientRules rules) {
    return new Arrivals(
        rules,
        new ConnectionTable(rules.connections()),
        new BodyBudget(rules.bodyMemoryBytes()),
        new BrowserRules(address, rules.hosts()));
  }
}

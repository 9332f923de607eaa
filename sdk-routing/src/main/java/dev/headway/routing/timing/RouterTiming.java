package dev.headway.routing.timing;

import org.jspecify.annotations.Nullable;

/**
 * What a router says of a request once it has chosen a server: instants on its own clock, and the
 * decision in figures. See {@link TimingJson} for how it is sent.
 *
 * @param clock the clock's id, {@link HostClock#id()}
 * @param at the router's instants; others are ignored
 * @param headNs when it passed the head of the answer on
 * @param worker the server's id
 * @param url the server's address
 * @param policy the policy's name
 * @param branch how the policy came to its choice, for example {@code cache_hit}
 * @param candidates servers that could have been chosen
 * @param attempt the attempt that was answered, from 0
 * @param pickCostNs what the decision took
 * @param load requests under way at that server when it was chosen, this one not counted
 * @param minLoad the least of the candidates' loads
 * @param maxLoad the greatest
 * @param promptUnits tokens or characters of the prompt that the policy looked at, 0 for none
 * @param matchedUnits those that it believed to be cached there
 * @param serverClock the estimate of the server's clock against the router's; null if there is none
 */
public record RouterTiming(
    String clock,
    RequestTiming at,
    long headNs,
    String worker,
    String url,
    String policy,
    String branch,
    int candidates,
    int attempt,
    long pickCostNs,
    int load,
    int minLoad,
    int maxLoad,
    int promptUnits,
    int matchedUnits,
    ClockOffset.@Nullable Estimate serverClock) {}

package dev.headway.server;

import dev.headway.http.ApiKeys;
import dev.headway.http.Cors;
import java.util.List;

/**
 * Which clients may call the server, and what they share. Immutable.
 *
 * @param keys one of which a request must carry
 * @param cors pages of other origins that may read the answers
 * @param hosts names that requests may call the server by, beside addresses and {@code localhost};
 *     empty for any, unless it listens on the loopback address
 * @param prefixSharing whether cached prefixes are shared between keys
 */
public record Access(ApiKeys keys, Cors cors, List<String> hosts, PrefixSharing prefixSharing) {

  /** Which requests may share cached prefixes, and so tell by their times what others have sent. */
  public enum PrefixSharing {
    /** Those of one key and equal {@code cache_salt}. */
    WITHIN_KEY,
    /** All of equal {@code cache_salt}. */
    BETWEEN_KEYS
  }

  /** No key, no page of another origin. */
  public static final Access OPEN =
      new Access(ApiKeys.NONE, Cors.NONE, List.of(), PrefixSharing.WITHIN_KEY);

  public Access {
    hosts = List.copyOf(hosts);
  }

  public Access withKeys(ApiKeys other) {
    return new Access(other, cors, hosts, prefixSharing);
  }

  public Access withCors(Cors other) {
    return new Access(keys, other, hosts, prefixSharing);
  }

  public Access withHosts(List<String> names) {
    return new Access(keys, cors, names, prefixSharing);
  }

  public Access withPrefixSharing(PrefixSharing other) {
    return new Access(keys, cors, hosts, other);
  }
}

package dev.headway.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is connected, and what has to leave when there are too many: the connection that has waited
 * longest without a whole request, of the same address if that has used up its share. What is being
 * answered stays; where nothing else is left the newcomer is refused. So however many connections a
 * client keeps half open, another gets in. Any thread.
 */
public final class ConnectionTable {

  /** A connection, as the table sees it. */
  public interface Member {
    /** Where it comes from. */
    InetAddress address();

    /** Leaves at once; {@link ConnectionTable#closed} need not be called. */
    void evict();
  }

  private static final int IPV6_NETWORK_BYTES = 8;

  private final int most;
  private final int mostPerAddress;
  private final Map<ByteBuffer, Share> shares = new HashMap<>();
  private final Set<Member> receiving = new LinkedHashSet<>(); // oldest first
  private int open;

  private static final class Share {
    private final Set<Member> members = new LinkedHashSet<>();
    private final Set<Member> receiving = new LinkedHashSet<>(); // oldest first
  }

  /** Begins empty. */
  public ConnectionTable(ConnectionLimits limits) {
    this.most = limits.maxConnections();
    this.mostPerAddress = limits.maxPerAddress();
  }

  /** Takes a connection in, in place of another if need be; false if it must go. */
  public boolean opened(Member member) {
    final Member leaving;
    synchronized (this) {
      leaving = leavingFor(member);
      if (leaving == null && isFullFor(member)) {
        return false;
      }
      if (leaving != null) {
        closed(leaving);
      }
      shares.computeIfAbsent(key(member), address -> new Share()).members.add(member);
      open++;
      receiving(member);
    }
    if (leaving != null) {
      leaving.evict();
    }
    return true;
  }

  private boolean isFullFor(Member member) {
    return open >= most || isShareUsedUp(shares.get(key(member)));
  }

  private boolean isShareUsedUp(@Nullable Share share) {
    return share != null && share.members.size() >= mostPerAddress;
  }

  private @Nullable Member leavingFor(Member member) {
    final Share share = shares.get(key(member));
    if (share != null && isShareUsedUp(share)) {
      return first(share.receiving);
    }
    return open >= most ? first(receiving) : null;
  }

  private static @Nullable Member first(Set<Member> members) {
    return members.isEmpty() ? null : members.iterator().next();
  }

  /** It waits for a request, or for the rest of one. */
  public synchronized void receiving(Member member) {
    final Share share = shares.get(key(member));
    if (share != null && share.members.contains(member)) {
      share.receiving.add(member);
      receiving.add(member);
    }
  }

  /** Its request is whole. */
  public synchronized void received(Member member) {
    receiving.remove(member);
    final Share share = shares.get(key(member));
    if (share != null) {
      share.receiving.remove(member);
    }
  }

  /** It has gone; may be called twice. */
  public synchronized void closed(Member member) {
    received(member);
    final Share share = shares.get(key(member));
    if (share != null && share.members.remove(member)) {
      open--;
      if (share.members.isEmpty()) {
        shares.remove(key(member));
      }
    }
  }

  /** Connections open. */
  public synchronized int open() {
    return open;
  }

  private static ByteBuffer key(Member member) {
    final byte[] address = member.address().getAddress();
    return member.address() instanceof Inet6Address
        ? ByteBuffer.wrap(address, 0, IPV6_NETWORK_BYTES).slice()
        : ByteBuffer.wrap(address);
  }
}

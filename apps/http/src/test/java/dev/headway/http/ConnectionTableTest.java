package dev.headway.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/** Which connection leaves for which. */
class ConnectionTableTest {

  private static final class Client implements ConnectionTable.Member {
    private final InetAddress address;
    private boolean left;

    Client(String address) throws UnknownHostException {
      this.address = InetAddress.getByName(address);
    }

    @Override
    public InetAddress address() {
      return address;
    }

    @Override
    public void evict() {
      left = true;
    }
  }

  @Test
  void shouldLetTheOldestOfTheSameAddressLeaveWhenItsShareIsUsedUp() throws UnknownHostException {
    final ConnectionTable table =
        new ConnectionTable(ConnectionLimits.DEFAULT.withConnections(10, 2));
    final Client other = new Client("10.0.0.2");
    final Client first = new Client("10.0.0.1");
    final Client second = new Client("10.0.0.1");

    assertThat(table.opened(other)).isTrue();
    assertThat(table.opened(first)).isTrue();
    assertThat(table.opened(second)).isTrue();
    assertThat(table.opened(new Client("10.0.0.1"))).isTrue();

    assertThat(first.left).isTrue();
    assertThat(second.left).isFalse();
    assertThat(other.left).isFalse();
    assertThat(table.open()).isEqualTo(3);
  }

  @Test
  void shouldRefuseTheNewcomerWhereAllAreAnswered() throws UnknownHostException {
    final ConnectionTable table =
        new ConnectionTable(ConnectionLimits.DEFAULT.withConnections(2, 2));
    final Client first = new Client("10.0.0.1");
    final Client second = new Client("10.0.0.2");
    table.opened(first);
    table.opened(second);
    table.received(first);
    table.received(second);

    assertThat(table.opened(new Client("10.0.0.3"))).isFalse();
    table.receiving(second);
    assertThat(table.opened(new Client("10.0.0.3"))).isTrue();

    assertThat(first.left).isFalse();
    assertThat(second.left).isTrue();
  }

  @Test
  void shouldCountANetworkOfIpv6AsOneAddress() throws UnknownHostException {
    final ConnectionTable table =
        new ConnectionTable(ConnectionLimits.DEFAULT.withConnections(10, 1));
    final Client first = new Client("2001:db8:0:1::1");
    final Client neighbour = new Client("2001:db8:0:2::1");

    table.opened(first);
    table.opened(neighbour);
    table.opened(new Client("2001:db8:0:1:ffff::9"));

    assertThat(first.left).isTrue();
    assertThat(neighbour.left).isFalse();
  }

  @Test
  void shouldForgetWhoHasGone() throws UnknownHostException {
    final ConnectionTable table =
        new ConnectionTable(ConnectionLimits.DEFAULT.withConnections(2, 2));
    final Client first = new Client("10.0.0.1");

    table.opened(first);
    table.closed(first);
    table.closed(first);
    table.receiving(first);

    assertThat(table.open()).isZero();
    table.opened(new Client("10.0.0.1"));
    table.opened(new Client("10.0.0.1"));
    assertThat(first.left).as("it is not there to leave").isFalse();
  }
}

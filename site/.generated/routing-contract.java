/** A routing policy of one's own keeps the contract, and chooses as it says. */
class ShortestQueueTest extends RoutingPolicyContract {

  @Override
  protected RoutingPolicy policy(long seed) {
    return new ShortestQueue();
  }


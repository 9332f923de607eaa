class PlainKvCacheTest extends KvCacheContract {

  @Override
  protected KvCacheManager kvCache(KvCacheContext context) {
    return new PlainKvCache(context);
  }
}

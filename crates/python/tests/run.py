import sys; sys.path.insert(0,'/work/main/crates/python/tests')
import test_adapters as t, pathlib
s=t.Site(20)
p=pathlib.Path('/tmp/pyt/r2'); p.mkdir(exist_ok=True); (p/'shop.py').write_text(t.textwrap.dedent(t.SPIDER))
items,out=t.crawl(p,s.address,0,60,'x')
print([l for l in out.splitlines() if 'autoheal' in l])
print([i for i in items if i['price'] is None])

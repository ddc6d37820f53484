package gofuncs
import ("testing";"context";"fmt";"sort";"math")
func TestHashRecall(t *testing.T){
 r,_:=FindRoot(context.Background())
 fs,_:=Read(context.Background(),r.Dir,Options{})
 n:=len(fs)
 having:=map[uint64]int32{}
 for i:=range fs{for _,x:=range fs[i].Terms{having[x.Hash]++}}
 post:=map[uint64][]struct{i int;w float64}{}
 type tw struct{h uint64;w float64}
 rows:=make([][]tw,n)
 for i:=range fs{ var sq float64; for _,x:=range fs[i].Terms{ if c:=having[x.Hash];c>1{w:=float64(weight(x.Count,n,int(c),factors[x.kind])); rows[i]=append(rows[i],tw{x.Hash,w}); sq+=w*w}}
  for j:=range rows[i]{rows[i][j].w/=math.Sqrt(sq); post[rows[i][j].h]=append(post[rows[i][j].h],struct{i int;w float64}{i,rows[i][j].w})}}
 const Q=300
 truth:=make([]map[int]bool,Q)
 parallel(Q,0,func(q int){ i:=q*n/Q; s:=make([]float64,n); for _,x:=range rows[i]{for _,p:=range post[x.h]{s[p.i]+=x.w*p.w}}; s[i]=-1
  idx:=make([]int,n);for j:=range idx{idx[j]=j}; sort.Slice(idx,func(a,b int)bool{return s[idx[a]]>s[idx[b]]}); truth[q]=map[int]bool{};for _,j:=range idx[:10]{truth[q][j]=true}})
 for _,sl:=range []int{1,2,4,8}{ Slots=sl
 for _,dim:=range []int{256,512,1024}{
  v:=Vectors(fs,dim,0); hits:=make([]int,Q)
  parallel(Q,0,func(q int){ i:=q*n/Q; s:=make([]float32,n); for j:=range s{var y float32;a:=v[i*dim:(i+1)*dim];for k,x:=range v[j*dim:(j+1)*dim]{y+=a[k]*x};s[j]=y};s[i]=-1
  idx:=make([]int,n);for j:=range idx{idx[j]=j}; sort.Slice(idx,func(a,b int)bool{return s[idx[a]]>s[idx[b]]}); for _,j:=range idx[:10]{if truth[q][j]{hits[q]++}}})
  h:=0;for _,x:=range hits{h+=x}; fmt.Println(n,sl,dim,float64(h)/Q/10)
 }
}}
